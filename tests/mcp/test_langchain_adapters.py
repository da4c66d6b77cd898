"""langchain-mcp-adapters, over each of its transports.

It can't be installed beside us: it needs mcp < 2. ADAPTERS_PYTHON names the interpreter
of an environment that has it; `nox -s agents` makes one.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from jsonschema import Draft7Validator, FormatChecker
from live_server import stdio_parameters
from tool_results import TOOLS, check_error

pytestmark = pytest.mark.solc
CLIENT = Path(__file__).with_name("adapters_client.py")
SCHEMAS = json.loads(
    (Path(__file__).parents[1] / "contracts" / "required_schemas.json").read_text()
)["tools"]


PYTHON = os.environ.get("ADAPTERS_PYTHON")

if PYTHON is None:
    message = "ADAPTERS_PYTHON is not set: run `nox -s agents`"
    if os.environ.get("REQUIRE_AGENTS") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message, allow_module_level=True)


@pytest.fixture(scope="module")
def used(lab, lab_source, tmp_path_factory):
    """What the client was shown, by transport."""
    given = stdio_parameters(
        tmp_path_factory.mktemp("adapters") / "campaign",
        *(lab_source, "--executor", "inline", "--workers", 1, "--round-budget", 20_000),
    )
    connections = {
        "http": {"transport": "streamable_http", "url": lab.url},
        "sse": {"transport": "sse", "url": lab.sse_url},
        "stdio": {
            "transport": "stdio",
            "command": given.command,
            "args": given.args,
            "env": given.env,
        },
    }
    done = subprocess.run(
        [PYTHON, str(CLIENT)],
        input=json.dumps(connections),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("transport", ["http", "sse", "stdio"])
def test_all_nine_tools_are_called_and_answer_what_their_schemas_say(used, transport):
    assert used[transport]["tools"] == TOOLS
    calls = used[transport]["calls"][: len(TOOLS)]
    assert sorted(call["tool"] for call in calls) == TOOLS
    for call in calls:
        assert call["status"] == "success", call
        output = call["text"] if call["tool"] == "dump_lcov" else call["structured"]
        schema = SCHEMAS[call["tool"]]["output"]
        Draft7Validator(schema, format_checker=FormatChecker()).validate(output)
        if call["tool"] != "dump_lcov":
            assert json.loads(call["text"]) == output


@pytest.mark.parametrize("transport", ["http", "sse", "stdio"])
def test_an_error_reaches_the_model_with_what_to_repair(used, transport):
    misspelt, empty = used[transport]["calls"][len(TOOLS) :]
    assert misspelt["status"] == empty["status"] == "error"
    error = check_error(json.loads(misspelt["text"]))
    assert error["details"]["closest"][0] == "unlock(uint256)"
    assert check_error(json.loads(empty["text"]))["code"] == "INVALID_INPUT"
