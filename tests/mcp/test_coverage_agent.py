"""The LangGraph agent of `examples/`: it raises the coverage of a contract by itself.

The contract's guard has only the hash of a password. The fuzzer stays outside; the
agent reads the source. Its model is a script without any key, which finds the password
only if the source is in what it is shown.
"""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import subprocess
import sys

import pytest
from documentation import ROOT, page
from langchain_tools import calling, require_langchain, saying, scripted_model
from live_server import live_server, stored
from solc import require_solc

require_langchain()

EXAMPLE = ROOT / "examples" / "langgraph-agent"
SOURCE = EXAMPLE / "Locker.sol"
sys.path.insert(0, str(EXAMPLE / "src"))

# ruff: noqa: E402 (what may be missing is imported after the question whether it is)
from echidna_mcp_coverage_agent import Limits, connect, coverage_agent, raise_coverage
from echidna_mcp_coverage_agent.__main__ import parser
from echidna_mcp_coverage_agent.source import annotated

pytestmark = pytest.mark.solc
TOKEN = "a token of the tests"
SAY, TAKE, TURN = (
    ("Locker", signature) for signature in ("say(string)", "take()", "turn(uint256)")
)


@pytest.fixture
def locker(tmp_path, monkeypatch):
    """A campaign on the example's contract that has run for some rounds."""
    require_solc()
    monkeypatch.setenv("ECHIDNA_MCP_TOKEN", TOKEN)
    options = ("--workers", 2, "--round-budget", 50_000, "--seed", 3)
    with live_server(
        tmp_path / "campaign", SOURCE, *options, "--format", "none"
    ) as server:
        yield server


def password(messages):
    """Return what only a reader of the source knows."""
    (found,) = {
        words
        for message in messages
        for words in re.findall(r'Ali Baba says "([^"]+)"', message.text)
    }
    return found


def mistaken(messages):
    """Write a text without quotes, as a model does."""
    return calling("inject_transaction", sequence=[f"say({password(messages)})"])


def quoted(messages):
    """Read what was wrong, and repair it."""
    assert messages[-1].status == "error"
    assert "PARSE_ERROR" in messages[-1].text
    return calling("inject_transaction", sequence=[f'say("{password(messages)}")'])


def complete(messages):
    """Do all that the source asks for."""
    assert "It ran." in messages[-1].text or "Raise the coverage" in messages[-1].text
    turns = [f"turn({digit})" for digit in (4, 1, 7)]
    words = f'say("{password(messages)}")'
    return calling("inject_transaction", sequence=[words, *turns, "take()"])


async def rounds_of(campaign, number):
    """Wait until the fuzzer alone had its chance."""
    while (await campaign.ask("show_coverage"))["round"] < number:  # noqa: ASYNC110
        await asyncio.sleep(0.1)


async def falsified(locker):
    """Wait until the fuzzer has gone on from where the agent led it."""
    async with asyncio.timeout(60):
        while not stored(locker.directory, "PropertyFalsified"):  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def test_it_reaches_what_the_fuzzer_alone_does_not(locker):
    async with connect(locker.url, TOKEN) as campaign:
        await rounds_of(campaign, 20)
        before = await campaign.coverage()
        assert all(before[function] < 100 for function in (SAY, TAKE, TURN))

        model = scripted_model([mistaken, quoted, complete])
        told = await raise_coverage(campaign, model, SOURCE)

        after = await campaign.coverage()
        assert [after[function] for function in (SAY, TAKE, TURN)] == [100.0] * 3
        assert set(model.bound) == {"inject_transaction"}
        assert not model.turns
        # To take twice is an idea of the fuzzer's own.
        await falsified(locker)
    assert told.startswith("# Coverage: 3 of ")
    for function in (SAY, TAKE, TURN):
        name = ".".join(function)
        assert f"| `{name}` | {before[function]} % | 100.0 % |" in told
    assert "refused. PARSE_ERROR: " in told
    assert '`say("open sesame")`, `turn(4)`, `turn(1)`, `turn(7)`, `take()`' in told
    tools = [line["tool"] for line in locker.commands]
    assert tools[0] == "prioritize_function"
    assert tools[-1] == "clear_priorities"
    assert tools.count("inject_transaction") == 2


async def test_it_goes_on_when_the_model_sees_no_way(locker):
    async with connect(locker.url, TOKEN) as campaign:
        model = scripted_model([lambda _: saying("Only a hash is known.")] * 2)
        limits = Limits(functions=2, attempts=1)
        told = await raise_coverage(campaign, model, SOURCE, limits)
        cleared = await campaign.ask("clear_priorities")
    assert told.startswith("# Coverage: 0 of ")
    assert cleared["clearedCount"] == 0


async def test_it_stops_after_as_many_attempts_as_it_may_make(locker):
    def again(messages):
        del messages
        return calling("inject_transaction", sequence=["turn(?)"])

    async with connect(locker.url, TOKEN) as campaign:
        model = scripted_model([again] * 3)
        limits = Limits(functions=1, attempts=3)
        agent = coverage_agent(campaign, model, SOURCE, limits)
        end = await agent.ainvoke({}, {"recursion_limit": limits.steps})
    assert len(end["attempts"]) == 3
    assert {attempt.calls for attempt in end["attempts"]} == {("turn(?)",)}


async def test_it_leaves_no_priorities_when_its_model_fails(locker):
    def breaks(_):
        raise ConnectionError("no answer from the model")

    async with connect(locker.url, TOKEN) as campaign:
        with pytest.raises(ConnectionError):
            await raise_coverage(campaign, scripted_model([breaks]), SOURCE)
        assert (await campaign.ask("clear_priorities"))["clearedCount"] == 0


def test_the_source_is_shown_with_what_ran(tmp_path):
    (tmp_path / "A.sol").write_text("one\ntwo\nthree\n")
    lines = {"A.sol": {1: True, 3: False}, "../outside": {1: True}}
    shown = annotated(tmp_path, lines)
    assert shown == "// A.sol\n+    1 one\n     2 two\n-    3 three"
    assert annotated(tmp_path / "A.sol", {"src/A.sol": {1: True}}).endswith("three")
    with pytest.raises(FileNotFoundError, match=r"has none of B\.sol"):
        annotated(tmp_path, {"B.sol": {}})


def test_a_file_that_only_the_server_names_is_not_read(tmp_path):
    (tmp_path / "secret").write_text("secret")
    inside = tmp_path / "inside"
    inside.mkdir()
    for name in ("../secret", str(tmp_path / "secret")):
        with pytest.raises(FileNotFoundError):
            annotated(inside, {name: {1: True}})


def test_the_command_in_its_readme_is_understood():
    (block,) = page("examples/langgraph-agent/README.md").blocks("shell")
    words = shlex.split(block.replace("\\\n", " "))
    module = words.index("echidna_mcp_coverage_agent")
    assert words[module - 1] == "-m"
    arguments = parser().parse_args(words[module + 1 :])
    assert (ROOT / arguments.source).exists()


def test_its_command_line_asks_for_a_model():
    done = subprocess.run(
        [sys.executable, "-m", "echidna_mcp_coverage_agent", "Locker.sol"],
        env={**os.environ, "PYTHONPATH": str(EXAMPLE / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "--model" in done.stderr
