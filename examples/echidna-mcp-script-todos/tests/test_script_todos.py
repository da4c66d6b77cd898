"""The tool on a project of two scripts."""

from __future__ import annotations

import asyncio

import pytest
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import CallContext
from echidna_mcp_plugins.editor.errors import EDITOR_ERRORS

from echidna_mcp_script_todos.tool import register_tools


@pytest.fixture
def project(tmp_path):
    scripts = tmp_path / "Assets" / "Scripts"
    scripts.mkdir(parents=True)
    (scripts / "Player.cs").write_text("class Player {}\n// TODO: jump\n")
    (scripts / "Enemy.cs").write_text("// FIXME hits itself\nint x; // TODO rename\n")
    return tmp_path


def call(project, arguments, name="asset.scripts.todos"):
    directories = {} if project is None else {"unity-project": project}
    service = ToolService(
        register_tools(),
        Stage(),
        renderers={"editor": EDITOR_ERRORS},
        base=CallContext(directories=directories),
        strict_output=True,
    )
    return asyncio.run(service.call(name, arguments))


def test_comments_are_listed_by_path_and_line(project):
    assert call(project, {}).content == {
        "todos": [
            {
                "path": "Assets/Scripts/Enemy.cs",
                "line": 1,
                "kind": "FIXME",
                "text": "hits itself",
            },
            {
                "path": "Assets/Scripts/Enemy.cs",
                "line": 2,
                "kind": "TODO",
                "text": "rename",
            },
            {
                "path": "Assets/Scripts/Player.cs",
                "line": 2,
                "kind": "TODO",
                "text": "jump",
            },
        ],
        "total": 3,
    }


def test_kind_and_number_can_be_chosen(project):
    content = call(project, {"kind": "TODO", "maximum": 1}).content
    assert [todo["text"] for todo in content["todos"]] == ["rename"]
    assert content["total"] == 2


def test_failures_look_as_those_of_the_family(project):
    body = call(project, {"maximum": 0}).error
    assert body["code"] == -32002
    assert body["data"]["errorType"] == "validation"
    assert "--unity-project" in call(None, {}).error["message"]


def test_it_answers_to_its_alias(project):
    assert call(project, {}, name="asset_scripts_todos").content["total"] == 3
