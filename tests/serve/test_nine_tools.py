"""The nine tools, over every transport, on a campaign compiled from Solidity."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import pytest
from lab_contract import FUNCTIONS, UNLOCK
from lcov_reader import parse
from live_server import kill_group, leader_of, stdio_parameters, survivors, until
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from tool_results import TOOLS, Agent

from echidna_mcp.campaign.verification import verify
from echidna_mcp.events.store import store_path

pytestmark = pytest.mark.solc

SENDER = "0x00000000000000000000000000000000DeaDBeef"


async def use_every_tool(client: Client, directory: Path, word: str) -> None:
    """Call each tool with and without its arguments; every answer is validated."""
    assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS
    assert len(TOOLS) == 9
    agent = Agent(client)
    await wait_for_corpus(agent)
    await read_the_logs(agent)
    await look_at_coverage(agent, directory, word)
    await browse_the_corpus(agent)
    await steer(agent, word)


async def wait_for_corpus(agent: Agent) -> None:
    size = 0
    while size == 0:
        size = (await agent.ask("get_corpus_size"))["size"]


async def read_the_logs(agent: Agent) -> None:
    logs = await agent.ask("read_logs")
    assert 0 < len(logs["events"]) <= 100
    times = [event["timestamp"] for event in logs["events"]]
    assert times == sorted(times, reverse=True)
    # Each worker tells of one call a round, unless the round ends before it.
    asked = {"eventType": "TransactionExecuted", "workerId": 1}
    mine = []
    while not mine:
        mine = (await agent.ask("read_logs", count=3, **asked))["events"]
    told = {(event["eventType"], event["workerId"]) for event in mine}
    assert told == {("TransactionExecuted", 1)}


async def look_at_coverage(agent: Agent, directory: Path, word: str) -> None:
    coverage = await agent.ask("show_coverage")
    (contract,) = coverage["contracts"]
    assert contract["name"] == "Lab"
    assert 0 < contract["lineCoverage"] <= 100
    assert {UNLOCK, *FUNCTIONS} <= {f["signature"] for f in contract["functions"]}
    named = await agent.ask("show_coverage", contract="Lab")
    assert named["overallCoverage"] >= coverage["overallCoverage"]

    record = parse(await agent.ask("dump_lcov"))["Lab.sol"]
    assert record.totals["LH"] >= contract["coveredLines"]
    assert record.totals["LF"] == contract["totalLines"]
    text = await agent.ask("dump_lcov", outputPath=f"{word}.info")
    assert (directory / f"{word}.info").read_text("utf-8") == text


async def browse_the_corpus(agent: Agent) -> None:
    size = (await agent.ask("get_corpus_size"))["size"]
    first = await agent.ask("inspect_corpus_transactions", limit=1)
    assert len(first["transactions"]) == 1
    assert first["total"] >= size
    page = await agent.ask("inspect_corpus_transactions", offset=1, limit=2)
    assert [t["index"] for t in page["transactions"]] == [1, 2][: size - 1]
    call = first["transactions"][0]
    found = await agent.ask("find_transaction_in_corpus", sender=call["sender"])
    assert found["matches"]
    assert all(each["sender"] == call["sender"] for each in found["matches"])


async def steer(agent: Agent, word: str) -> None:
    injected = await agent.ask(
        "inject_transaction", sequence=[f'note("{word}")'], sender=SENDER, value="7"
    )
    assert (injected["success"], injected["injectedCount"]) == (True, 1)
    wanted = await agent.ask("prioritize_function", functionSignature=UNLOCK)
    assert wanted["prioritizedFunctions"] == [UNLOCK]
    cleared = await agent.ask("clear_priorities")
    assert (cleared["success"], cleared["clearedCount"]) == (True, 1)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_over_streamable_http(lab, mode):
    async with Client(lab.url, mode=mode) as client:
        await use_every_tool(client, lab.directory, f"http {mode}")


async def test_over_legacy_sse(lab):
    async with Client(sse_client(lab.sse_url), mode="legacy") as client:
        await use_every_tool(client, lab.directory, "sse")


async def test_over_stdio(lab_source, tmp_path):
    directory = tmp_path / "campaign"
    parameters = stdio_parameters(
        directory, lab_source, "--executor", "inline", "--round-budget", 20_000
    )
    group = 0
    try:
        with tempfile.TemporaryFile("w+") as errors:
            transport: Any = stdio_client(parameters, errlog=errors)
            async with Client(transport, read_timeout_seconds=120) as client:
                group = leader_of(directory)
                await use_every_tool(client, directory, "stdio")
                assert survivors(group)
            errors.seek(0)
            assert "Traceback" not in errors.read()
        # The client closes our standard input and gives us two seconds; processes that
        # Python itself has started see the end of their parent a moment later.
        until(lambda: survivors(group) == [], "every process to leave")
        assert verify(store_path(directory)).events > 0
    finally:
        if group:
            kill_group(group)
