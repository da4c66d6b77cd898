"""What both command lines of the Inspector do with our server, step by step."""

from __future__ import annotations

import json

from client_calls import CALLS, WRONG
from client_steps import CAMPAIGN, KINDS, PROMPTS
from inspector_commands import UPDATES, Commands, Connection
from lab_contract import UNLOCK
from lcov_reader import parse
from tool_results import TOOLS, error_of, output_of

TOOL_FAILED = 5
"""The exit code of a call that the server answered with an error."""

_MEMBERS = {
    f"{CAMPAIGN}/{family}": f"{CAMPAIGN}/{member}"
    for family, member in (
        ("corpus/{index}", "corpus/0"),
        ("reproducers/{property}", "reproducers/echidna_says_nothing"),
        ("contracts/{tool}", "contracts/read_logs"),
        ("sources/{file}/{page}", "sources/0/0"),
        ("events/{type}", "events/PropertyFalsified"),
    )
}


def call_all_nine(server: Commands) -> None:
    """List the tools, call each, and make a call that fails."""
    listed, _ = server.run("tools/list")
    assert [tool["name"] for tool in listed["tools"]] == TOOLS
    answers = {name: output_of(name, server.call(name, CALLS[name])) for name in CALLS}
    assert sorted(answers) == TOOLS
    assert UNLOCK in answers["prioritize_function"]["prioritizedFunctions"]
    assert answers["inject_transaction"]["injectedCount"] == 2
    failure = server.call(*WRONG, code=TOOL_FAILED)
    assert error_of(failure)["code"] == "PARSE_ERROR"


def read_every_kind(server: Commands) -> None:
    """Read a resource of each kind."""
    listed, _ = server.run("resources/list")
    families, _ = server.run("resources/templates/list")
    offered = {each["uri"] for each in listed["resources"]}
    offered |= {each["uriTemplate"] for each in families["resourceTemplates"]}
    assert offered >= KINDS
    texts = {kind: server.read(_MEMBERS.get(kind, kind)) for kind in sorted(KINDS)}
    campaign = json.loads(texts[CAMPAIGN])
    assert campaign["contract"].endswith("Lab")
    assert campaign["round"] > 0
    assert parse(texts[f"{CAMPAIGN}/coverage.lcov"])["Lab.sol"].totals["LH"] > 0
    assert json.loads(texts[f"{CAMPAIGN}/corpus/{{index}}"])["sequence"] == 0
    assert "echidna_says_nothing" in texts[f"{CAMPAIGN}/reproducers/{{property}}"]
    assert "count" in texts[f"{CAMPAIGN}/contracts/{{tool}}"]
    assert "function unlock" in texts[f"{CAMPAIGN}/sources/{{file}}/{{page}}"]


def get_every_prompt(server: Commands) -> None:
    """List the prompts and get each."""
    listed, _ = server.run("prompts/list")
    assert [each["name"] for each in listed["prompts"]] == list(PROMPTS)
    for name in PROMPTS:
        get_a_prompt(server, name)


def get_a_prompt(server: Commands, name: str) -> None:
    """Get a prompt, with an argument if it is about a function."""
    given = ["--prompt-args", f"function={UNLOCK}"] if name == "raise_coverage" else []
    found, _ = server.run("prompts/get", "--prompt-name", name, *given)
    (message,) = found["messages"]
    text = message["content"]["text"]
    assert len(text) > 200
    assert UNLOCK in text or not given


def complete(server: Connection) -> None:
    """Complete an argument of a prompt, and a variable in a resource's URI."""
    functions = server.complete("prompt", "raise_coverage", "function", "WITH")
    assert functions == ["withdraw(uint256)"]
    tools = server.complete(
        "resource", f"{CAMPAIGN}/contracts/{{tool}}", "tool", "dump"
    )
    assert tools == ["dump_lcov"]


def hear_of_rounds(server: Connection) -> None:
    """Wait for updates of the campaign."""
    assert server.updates(CAMPAIGN) == [CAMPAIGN] * UPDATES
