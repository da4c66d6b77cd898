"""langchain-mcp-adapters, over each of its transports.

It can't be installed beside us: it needs mcp < 2. ADAPTERS_PYTHON names the interpreter
of an environment that has it; `nox -s agents` makes one.

It loads tools, resources and prompts. Subscribing is left to the session of the
official SDK that it hands out, and is tested with that one.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from client_calls import CALLS, WRONG
from client_steps import CAMPAIGN, KINDS, PROMPTS
from jsonschema import Draft7Validator, FormatChecker
from lab_contract import UNLOCK
from live_server import live_server, stdio_parameters
from tool_results import TOOLS, check_error

pytestmark = pytest.mark.solc
CLIENT = Path(__file__).with_name("adapters_client.py")
SCHEMAS = json.loads(
    (Path(__file__).parents[1] / "contracts" / "required_schemas.json").read_text()
)["tools"]
# It lists no templates, but reads any URI.
MEMBERS = [
    f"{CAMPAIGN}/{member}"
    for member in (
        *("corpus/0", "reproducers/echidna_says_nothing", "sources/0/0"),
        *("contracts/read_logs", "events/PropertyFalsified"),
    )
]
JOB = {
    "calls": [*CALLS.items(), WRONG, ("read_logs", {"count": 0})],
    "uris": MEMBERS,
    "prompts": {name: {} for name in PROMPTS} | {PROMPTS[0]: {"function": UNLOCK}},
    "watch": CAMPAIGN,
}
CAMPAIGN_OF_ITS_OWN = (
    *("--executor", "inline", "--workers", 1, "--round-budget", 20_000),
)
each_transport = pytest.mark.parametrize("transport", ["http", "sse", "stdio"])


PYTHON = os.environ.get("ADAPTERS_PYTHON")

if PYTHON is None:
    message = "ADAPTERS_PYTHON is not set: run `nox -s agents`"
    if os.environ.get("REQUIRE_AGENTS") == "1":
        pytest.fail(message, pytrace=False)
    pytest.skip(message, allow_module_level=True)


def run(**connections):
    """Do the job over connections; return what came of it, by their names."""
    done = subprocess.run(
        [PYTHON, str(CLIENT)],
        input=json.dumps({**JOB, "connections": connections}),
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def over_http(url):
    return {"transport": "streamable_http", "url": url}


@pytest.fixture(scope="module")
def used(lab, lab_program, tmp_path_factory):
    """What the client was shown, by transport."""
    directory = tmp_path_factory.mktemp("adapters") / "campaign"
    given = stdio_parameters(directory, lab_program, *CAMPAIGN_OF_ITS_OWN)
    started = {"command": given.command, "args": given.args, "env": given.env}
    return run(
        http=over_http(lab.url),
        sse={"transport": "sse", "url": lab.sse_url},
        stdio={"transport": "stdio", **started},
    )


def check_resources(resources):
    """Check what was read; return the texts by URI."""
    texts = {each["uri"]: each["text"] for each in resources}
    for each in resources:
        assert each["text"]
        if each["mime"] == "application/json":
            json.loads(each["text"])
    return texts


@each_transport
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


@each_transport
def test_an_error_reaches_the_model_with_what_to_repair(used, transport):
    misspelt, empty = used[transport]["calls"][len(TOOLS) :]
    assert misspelt["status"] == empty["status"] == "error"
    error = check_error(json.loads(misspelt["text"]))
    assert error["details"]["closest"][0] == "unlock(uint256)"
    assert check_error(json.loads(empty["text"]))["code"] == "INVALID_INPUT"


@each_transport
def test_a_call_in_a_connection_of_its_own_is_answered_the_same(used, transport):
    again = used[transport]["again"]
    assert again["call"]["status"] == "success"
    assert again["call"]["structured"]["size"] > 0
    assert json.loads(again["read"]["text"])["contract"].endswith("Lab")
    assert again["prompt"][0][0] == "human"


@each_transport
def test_resources_of_each_kind_are_read(used, transport):
    listed = check_resources(used[transport]["listed"])
    assert set(listed) >= {kind for kind in KINDS if "{" not in kind}
    assert {f"{CAMPAIGN}/contracts/{tool}" for tool in TOOLS} <= set(listed)
    assert json.loads(listed[CAMPAIGN])["contract"].endswith("Lab")
    read = check_resources(used[transport]["read"])
    assert list(read) == MEMBERS
    assert json.loads(read[f"{CAMPAIGN}/corpus/0"])["sequence"] == 0
    assert "echidna_says_nothing" in read[MEMBERS[1]]


@each_transport
def test_prompts_become_messages(used, transport):
    prompts = used[transport]["prompts"]
    assert sorted(prompts) == list(PROMPTS)
    for ((speaker, text),) in prompts.values():
        assert speaker == "human"
        assert len(text) > 200
    assert UNLOCK in prompts["raise_coverage"][0][1]


@pytest.mark.parametrize("transport", ["sse", "stdio"])
def test_its_session_hears_of_committed_rounds(used, transport):
    assert used[transport]["updates"] == [CAMPAIGN] * 3


def test_over_http_it_hears_of_them_only_in_a_session(used, lab_program, tmp_path):
    assert used["http"]["updates"] == "Method not found"
    options = (*CAMPAIGN_OF_ITS_OWN, "--format", "none", "--legacy-sessions")
    with live_server(tmp_path / "campaign", lab_program, *options) as server:
        assert run(http=over_http(server.url))["http"]["updates"] == [CAMPAIGN] * 3
