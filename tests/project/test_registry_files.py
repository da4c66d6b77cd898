"""What registries and clients read of the project: `server.json` and `.mcp.json`.

The rules are those of the MCP registry: its schema of 2025-12-11 and what it refuses
beyond that. They are written down here, because tests reach no network.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from echidna_mcp.cli.main import cli
from echidna_mcp.plugins.selection import PLUGINS_VARIABLE

ROOT = Path(__file__).parents[2]
SERVER = json.loads((ROOT / "server.json").read_text("utf-8"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
(PACKAGE,) = SERVER["packages"]
FORMATS = {"string", "number", "boolean", "filepath"}
INPUT = {"description", "isRequired", "format", "value", "isSecret", "default"}
INPUT |= {"placeholder", "choices", "variables"}


def test_the_schema_and_the_members_are_those_of_the_registry():
    assert re.fullmatch(
        r"https://static\.modelcontextprotocol\.io/schemas/[\d-]+/server\.schema\.json",
        SERVER["$schema"],
    )
    known = {"$schema", "name", "title", "description", "version", "packages"}
    known |= {"repository", "websiteUrl", "remotes", "icons", "_meta"}
    assert set(SERVER) <= known
    assert {"name", "description", "version"} <= set(SERVER)
    assert 1 <= len(SERVER["description"]) <= 100
    assert 1 <= len(SERVER["title"]) <= 100


def test_the_name_is_in_reverse_dns_with_one_slash():
    assert 3 <= len(SERVER["name"]) <= 200
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", SERVER["name"])
    namespace, _, server = SERVER["name"].partition("/")
    assert namespace.startswith("io.github.")
    assert server == PROJECT["name"]


def test_versions_are_exact_and_those_of_the_project():
    assert SERVER["version"] == PACKAGE["version"] == PROJECT["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+(-[\w.]+)?", SERVER["version"])


def test_the_package_is_ours_and_is_run_by_uvx_over_stdio():
    required = {"registryType", "identifier", "version", "transport"}
    optional = {"registryBaseUrl", "fileSha256", "runtimeHint", "runtimeArguments"}
    optional |= {"packageArguments", "environmentVariables"}
    assert required <= set(PACKAGE) <= required | optional
    assert PACKAGE["registryType"] == "pypi"
    assert PACKAGE["identifier"] == PROJECT["name"]
    assert PACKAGE["transport"] == {"type": "stdio"}
    assert PACKAGE["runtimeHint"] == "uvx"
    # uvx runs the script that has the package's name.
    assert PACKAGE["identifier"] in PROJECT["scripts"]


def test_every_argument_has_the_members_that_its_kind_may_have():
    assert PACKAGE["packageArguments"]
    for argument in PACKAGE["packageArguments"]:
        own = {"positional": {"valueHint"}, "named": {"name"}}[argument["type"]]
        assert set(argument) <= {"type", "isRepeated", *own, *INPUT}
        assert argument.get("format", "string") in FORMATS
        if argument["type"] == "positional":
            assert "valueHint" in argument or "value" in argument
        else:
            assert "name" in argument
        # A person who is asked must be told what for.
        assert "value" in argument or argument["description"]


@pytest.mark.parametrize("asked", [False, True], ids=["nothing chosen", "all chosen"])
def test_the_arguments_are_a_command_line_of_ours(asked):
    words = []
    for argument in PACKAGE["packageArguments"]:
        if "value" not in argument and not asked:
            assert not argument.get("isRequired", False)
            continue
        words += [argument["name"]] if argument["type"] == "named" else []
        words.append(argument.get("value", "chosen"))
    name, *arguments = words
    context = cli.commands[name].make_context(name, arguments)
    assert context.params["transport"] == "stdio"
    assert context.params["target"] == (Path("chosen") if asked else None)
    assert context.params["campaigns"] == (Path("chosen") if asked else None)


def test_the_variables_are_those_that_the_command_reads():
    names = [variable["name"] for variable in PACKAGE["environmentVariables"]]
    assert names == [PLUGINS_VARIABLE]


def test_the_readme_proves_that_the_package_is_ours():
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"<!-- mcp-name: {SERVER['name']} -->" in readme


def test_the_projects_own_client_file_starts_the_server_by_uvx():
    found = json.loads((ROOT / ".mcp.json").read_text("utf-8"))
    (server,) = found["mcpServers"].values()
    assert server["type"] == "stdio"
    assert server["command"] == "uvx"
    program, name, *arguments = server["args"]
    assert program in PROJECT["scripts"]
    context = cli.commands[name].make_context(name, arguments)
    assert context.params["transport"] == "stdio"
