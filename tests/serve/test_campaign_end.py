"""Edge cases of the requirements: what tools say at the ends of a campaign."""

from __future__ import annotations

import asyncio

import pytest
from lab_contract import KEY
from lcov_reader import parse
from live_server import STOP_SECONDS, LiveServer, RawClient, live_server, run_cli, until
from mcp import Client
from tool_results import Agent, agent_at, output_of

pytestmark = [pytest.mark.solc, pytest.mark.servers]

CONTROL = {
    "inject_transaction": {"sequence": ["deposit()"]},
    "prioritize_function": {"functionSignature": "deposit()"},
    "clear_priorities": {},
}


def stopped(client: RawClient, reason: str) -> bool:
    newest = client.call("read_logs", count=1)["events"][0]
    if newest["eventType"] != "CampaignStopped":
        return False
    assert newest["data"]["reason"] == reason
    return True


async def look_and_try_to_steer(server: LiveServer) -> None:
    """Observing tools answer from what is stored; control tools refuse."""
    async with Client(server.url) as client:
        agent = Agent(client)
        size = (await agent.ask("get_corpus_size"))["size"]
        assert size > 0
        page = await agent.ask("inspect_corpus_transactions", limit=100)
        assert page["total"] == size
        found = await agent.ask(
            "find_transaction_in_corpus", sender=page["transactions"][0]["sender"]
        )
        assert found["count"] > 0
        coverage = await agent.ask("show_coverage")
        assert coverage["overallCoverage"] > 0
        result = await client.call_tool("dump_lcov")
        parse(output_of("dump_lcov", result))
        assert "warning" not in (result.meta or {})  # it will not change any more
        logs = await agent.ask("read_logs", eventType="WorkerStopped")
        workers = {event["workerId"] for event in logs["events"]}
        assert workers == {0, 1}
        for tool, arguments in CONTROL.items():
            error = await agent.fail(tool, **arguments)
            assert error["code"] == "CAMPAIGN_TERMINATED"
    assert server.commands == []
    until(lambda: len(server.command_lines) == len(CONTROL), "the lines of what failed")


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        (("--test-limit", 300), "TestLimitReached"),
        (("--timeout", 4), "TimeLimitReached"),
    ],
)
def test_a_campaign_that_has_ended_can_still_be_read(
    lab_source, tmp_path, limit, reason
):
    directory = tmp_path / "campaign"
    arguments = (lab_source, "--workers", 2, "--executor", "inline", "--seq-len", 10)
    rounds = ("--round-budget", 20_000, "--shrink-limit", 50, "--seed", 3)
    with live_server(directory, *arguments, *rounds, *limit) as server:
        with RawClient(server.url) as client:
            until(lambda: stopped(client, reason), reason)
        asyncio.run(look_and_try_to_steer(server))
        assert server.process.poll() is None
        assert server.stop() == 0
        assert server.survivors() == []
    if reason == "TimeLimitReached":  # a clock decided, and replay needs none
        replayed = run_cli("replay", directory)
        assert replayed.returncode == 0, replayed.stderr


async def test_a_page_past_the_end_is_empty(lab):
    async with agent_at(lab.url) as agent:
        for offset in (10**6, 10**30):
            page = await agent.ask("inspect_corpus_transactions", offset=offset)
            assert page["transactions"] == []
            assert page["total"] > 0


async def test_a_dump_during_fuzzing_warns_that_it_is_a_snapshot(lab):
    async with Client(lab.url) as client:
        result = await client.call_tool("dump_lcov")
    assert parse(output_of("dump_lcov", result))
    assert result.meta is not None
    assert "still fuzzing" in result.meta["warning"]


async def test_an_empty_corpus_is_no_error(lab_source, tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text("coverage: false\nseqLen: 10\n", "utf-8")
    arguments = (lab_source, "--config", config, "--executor", "inline")
    with live_server(
        tmp_path / "campaign", *arguments, "--round-budget", 20_000
    ) as server:
        async with agent_at(server.url) as agent:
            rounds = 0
            while rounds < 2:
                rounds = (await agent.ask("show_coverage"))["round"]
            assert await agent.ask("get_corpus_size") == {"size": 0}
            empty = await agent.ask("inspect_corpus_transactions")
            assert (empty["transactions"], empty["total"]) == ([], 0)
            found = await agent.ask(
                "find_transaction_in_corpus", functionSignature="add"
            )
            assert found == {"matches": [], "count": 0}
            # What an agent injects is kept without coverage, too.
            await agent.ask("inject_transaction", sequence=[f"unlock({KEY})"])
            async with asyncio.timeout(STOP_SECONDS):
                while (await agent.ask("get_corpus_size"))["size"] == 0:
                    pass
