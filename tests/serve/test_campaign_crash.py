"""A campaign process that dies takes nothing with it but its open round."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from itertools import count

import pytest
from live_server import (
    LiveServer,
    RawClient,
    children,
    live_server,
    run_cli,
    stored,
    survivors,
    until,
)
from mcp import Client
from tool_results import Agent, check_error, error_of, output_of, text_of

pytestmark = [pytest.mark.solc, pytest.mark.servers]

OPTIONS = ("--workers", 4, "--round-budget", 20_000, "--seq-len", 20, "--seed", 11)


def rounds(client: RawClient) -> int:
    number = client.call("show_coverage")["round"]
    assert isinstance(number, int)
    return number


async def command_at_the_worst_moment(server: LiveServer) -> None:
    """Kill the campaign with commands under way; each is answered, none is doubled."""
    async with Client(server.url) as client:
        victim = server.campaign
        calls = [
            client.call_tool("inject_transaction", {"sequence": [f"add(1, {n})"]})
            for n in range(6)
        ]
        answers = asyncio.gather(*calls)
        await asyncio.sleep(0)
        os.kill(victim, signal.SIGKILL)
        told = []
        for number, answer in enumerate(await answers):
            if answer.is_error:
                code = error_of(answer)["code"]
                assert code in {"INTERNAL_ERROR", "EXECUTION_TIMEOUT"}
            else:
                output_of("inject_transaction", answer)
                told.append(number)
        agent = Agent(client)
        for attempt in count():
            answer = await client.call_tool(
                "inject_transaction", {"sequence": [f"add(2, {attempt})"]}
            )
            if not answer.is_error:
                break
            # It may have been accepted all the same.
            assert error_of(answer)["code"] == "EXECUTION_TIMEOUT", text_of(answer)
        await agent.ask("prioritize_function", functionSignature="unlock(uint256)")
    written = [line["args"].get("sequence") for line in server.commands]
    for number in range(6):
        assert written.count([f"add(1, {number})"]) <= 1
    for number in told:
        assert written.count([f"add(1, {number})"]) == 1
    assert written.count([f"add(2, {attempt})"]) == 1
    assert all(written.count([f"add(2, {n})"]) <= 1 for n in range(attempt))


def kill_a_worker(server: LiveServer, client: RawClient) -> None:
    """A worker process dies: its task is run again, and no one notices."""
    campaign = server.campaign
    # A solver may have processes, too.
    victim, *_ = children(campaign)
    os.kill(victim, signal.SIGKILL)
    before = rounds(client)
    until(lambda: rounds(client) >= before + 3, "rounds without the worker")
    assert server.campaign == campaign
    assert victim not in children(campaign)
    assert not stored(server.directory, "TaskAbandoned")


def test_a_killed_campaign_goes_on_and_replays(lab_source, tmp_path):
    directory = tmp_path / "campaign"
    with live_server(
        directory, lab_source, *OPTIONS, "--executor", "processes:2"
    ) as server:
        with RawClient(server.url) as client:
            until(lambda: rounds(client) >= 2, "rounds")
            kill_a_worker(server, client)
            first = server.campaign
            orphans = children(first)
            asyncio.run(command_at_the_worst_moment(server))
            until(lambda: bool(stored(directory, "CampaignResumed")), "the resumption")
            assert server.campaign != first
            until(
                lambda: not {first, *orphans} & set(survivors(server.process.pid)),
                "the orphans to leave",
            )
            after = rounds(client)
            until(lambda: rounds(client) >= after + 3, "rounds after the crash")
        assert len(stored(directory, "CampaignResumed")) == 1
        assert "it goes on from the store" in server.stderr
        assert server.stop() == 0
        assert server.survivors() == []

    verified = run_cli("verify", directory)
    assert verified.returncode == 0, verified.stderr
    replayed = run_cli("replay", directory / "mcp-commands.jsonl")
    assert replayed.returncode == 0, replayed.stderr


def test_a_campaign_that_dies_in_the_same_round_again_stays_stopped(tmp_path):
    # A round without end: the campaign is killed in it as often as it is resumed.
    endless = ("--round-budget", 10**15, "--executor", "inline")
    with (
        live_server(tmp_path / "campaign", *endless) as server,
        RawClient(server.url) as client,
    ):
        for resumptions in range(4):
            os.kill(server.campaign, signal.SIGKILL)
            if resumptions < 3:
                until(
                    lambda: (
                        len(stored(server.directory, "CampaignResumed")) > resumptions  # noqa: B023
                    ),
                    "the next resumption",
                )
        until(lambda: "replays the failure" in server.stderr, "the server to give up")
        assert "ended with code -9" in server.stderr
        assert (server.directory / "echidna-mcp-crash-round-1.zip").is_file()
        assert rounds(client) == 0
        _, answer = client.send("clear_priorities", {})
        envelope = json.loads(answer["result"]["content"][0]["text"])
        assert check_error(envelope)["code"] == "CAMPAIGN_TERMINATED"
        assert server.stop() == 3
        assert server.survivors() == []


def test_the_campaign_ends_itself_when_the_server_is_killed(tmp_path):
    directory = tmp_path / "campaign"
    with live_server(directory, *OPTIONS, "--executor", "processes:2") as server:
        with RawClient(server.url) as client:
            client.call("inject_transaction", sequence=["deposit()"])
        server.process.kill()
        server.process.wait()
        assert server.survivors() == []
        (line,) = server.commands
        assert line["args"]["sequence"] == ["deposit()"]
    assert run_cli("verify", directory).returncode == 0
