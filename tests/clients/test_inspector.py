"""The command line of the MCP Inspector: schema lint, lists, calls and reads.

It subscribes to nothing. Over standard streams it starts a server for each command.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from client_calls import CALLS, WRONG
from client_steps import CAMPAIGN, PROMPTS
from live_server import command
from mcp.types import CallToolResult
from node_packages import require_node, require_package
from tool_results import TOOLS, output_of

pytestmark = pytest.mark.solc

NAME = "@modelcontextprotocol/inspector"
TOOL_FAILED = 5

# The modern era over the legacy transport is only linted and read: each command takes
# a second.
FOR_ALL_NINE = [("http", "legacy"), ("http", "modern"), ("sse", "legacy")]

each_era = pytest.mark.parametrize("era", ["legacy", "modern"])
each_transport = pytest.mark.parametrize("transport", ["http", "sse"])


class Inspector:
    """Runs one command after another, away from the user's settings."""

    def __init__(self, home: Path) -> None:
        package = require_package(Path(__file__).parent, NAME, "clients")
        launcher = package / "clients" / "launcher" / "build" / "index.js"
        self._words = [str(require_node("clients")), str(launcher), "--cli"]
        self._home = home

    def run(self, target: Sequence[str], *words: str, code: int = 0) -> tuple[Any, str]:
        """Return the result of a command and what it complained of.

        Args:
            target: options that say where the server is; a command stands last.
            words: what to do there.
            code: the exit code that it must have.
        """
        started = target.index("--") if "--" in target else len(target)
        options = ["--format", "json", "--connect-timeout", "90000"]
        done = subprocess.run(
            [*self._words, *target[:started], *words, *options, *target[started:]],
            env={
                **os.environ,
                "HOME": str(self._home),
                "MCP_CATALOG_PATH": str(self._home / "mcp.json"),
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)["result"], done.stderr

    def call(
        self, target: Sequence[str], tool: str, arguments: dict[str, Any], code: int = 0
    ) -> CallToolResult:
        """Call a tool."""
        words = ["--method", "tools/call", "--tool-name", tool]
        given = json.dumps(arguments)
        result, _ = self.run(target, *words, "--tool-args-json", given, code=code)
        return CallToolResult.model_validate(result)


@pytest.fixture(scope="module")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Inspector:
    return Inspector(tmp_path_factory.mktemp("home"))


@pytest.fixture
def target(inspector, lab, transport, era):
    url = lab.sse_url if transport == "sse" else lab.url
    return [url, "--transport", transport, "--protocol-era", era]


@each_era
@each_transport
def test_the_strict_lint_of_the_schemas_is_silent(inspector, target):
    result, complaints = inspector.run(target, "--method", "tools/list", "--strict")
    assert [tool["name"] for tool in result["tools"]] == TOOLS
    assert complaints == ""


@pytest.mark.parametrize(("transport", "era"), FOR_ALL_NINE)
def test_all_nine_tools_answer_and_a_failure_is_one(inspector, target):
    for name, arguments in CALLS.items():
        output_of(name, inspector.call(target, name, arguments))
    assert inspector.call(target, *WRONG, code=TOOL_FAILED).is_error


@each_era
@each_transport
def test_resources_and_prompts(inspector, target):
    listed, _ = inspector.run(target, "--method", "resources/list")
    assert CAMPAIGN in [each["uri"] for each in listed["resources"]]
    families, _ = inspector.run(target, "--method", "resources/templates/list")
    assert len(families["resourceTemplates"]) >= 4
    uri = f"{CAMPAIGN}/corpus/0"
    found, _ = inspector.run(target, "--method", "resources/read", "--uri", uri)
    assert found["contents"][0]["uri"] == uri
    assert json.loads(found["contents"][0]["text"])["sequence"] == 0
    prompts, _ = inspector.run(target, "--method", "prompts/list")
    assert [each["name"] for each in prompts["prompts"]] == list(PROMPTS)


@each_era
def test_over_stdio(inspector, lab_arguments, tmp_path, era):
    words = command("serve", *lab_arguments, "--transport", "stdio")
    words += ["--corpus-dir", str(tmp_path / "campaign")]
    # It hands on only what it is told to of its environment.
    cache = f"ECHIDNA_MCP_CACHE={os.environ['ECHIDNA_MCP_CACHE']}"
    target = ["--transport", "stdio", "--protocol-era", era, "--quiet", "-e", cache]
    target += ["--", *words]
    result, complaints = inspector.run(target, "--method", "tools/list", "--strict")
    assert [tool["name"] for tool in result["tools"]] == TOOLS
    assert complaints == ""
    output_of("read_logs", inspector.call(target, "read_logs", CALLS["read_logs"]))
    found, _ = inspector.run(target, "--method", "resources/read", "--uri", CAMPAIGN)
    assert json.loads(found["contents"][0]["text"])["contract"].endswith("Lab")
