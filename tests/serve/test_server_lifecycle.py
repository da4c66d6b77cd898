"""SC-007: servers start and stop without crashes, losses or processes left behind."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from live_server import (
    LiveServer,
    RawClient,
    live_server,
    run_cli,
    started_server,
    until,
)

AT_ONCE = 3
EXECUTORS = ("inline", "processes:2")


def interrupt(server: LiveServer) -> None:
    """Ctrl-C as `kill -INT` sends it: to the server alone."""
    server.process.send_signal(signal.SIGINT)


def interrupt_all(server: LiveServer) -> None:
    """Ctrl-C as a terminal sends it: to everything that the server has started."""
    os.killpg(server.process.pid, signal.SIGINT)


def terminate(server: LiveServer) -> None:
    """What supervisors send."""
    server.process.send_signal(signal.SIGTERM)


def terminate_all(server: LiveServer) -> None:
    """What supervisors send to a whole control group."""
    os.killpg(server.process.pid, signal.SIGTERM)


def live_and_die(
    directory: Path, executor: str, end: Callable[[LiveServer], None]
) -> None:
    """Run one server, give it commands, end it, and look at what is left."""
    with live_server(directory, "--executor", executor) as server:
        with RawClient(server.url) as client:
            client.call("prioritize_function", functionSignature="deposit()")
            client.call("inject_transaction", sequence=["deposit()"], value="1")
            client.call("clear_priorities")
        end(server)
        assert server.process.wait(60) == 0, server.stderr
        assert server.survivors() == []
        assert [line["tool"] for line in server.commands] == [
            "prioritize_function",
            "inject_transaction",
            "clear_priorities",
        ]
        for bad in ("Traceback", "Error", "ERROR", "WARNING", "leaked"):
            assert bad not in server.stderr
        assert "The campaign was asked to stop." in server.stderr


@pytest.mark.parametrize("cycles", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_servers_come_and_go(tmp_path, cycles):
    ends = (interrupt, interrupt_all, interrupt, terminate, interrupt, terminate_all)

    def cycle(number: int) -> None:
        executor = EXECUTORS[number % len(EXECUTORS)]
        live_and_die(tmp_path / str(number), executor, ends[number % len(ends)])

    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert len(list(pool.map(cycle, range(cycles)))) == cycles


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_stopped_while_it_starts_leaves_nothing(tmp_path, number):
    with started_server(tmp_path / "campaign", "--executor", "processes:2") as server:
        until(lambda: len(server.survivors(0)) > 1, "the campaign process")
        os.killpg(server.process.pid, number)
        assert server.process.wait(60) in {0, 130, -number}
        assert server.survivors(30.0) == []
        assert "Traceback" not in server.stderr


def injected(client: RawClient) -> bool:
    """Tell whether the corpus holds an injected call of that value."""
    found = client.call("find_transaction_in_corpus", minValue="77")
    return any(match["injected"] for match in found["matches"])


def test_an_interrupted_campaign_goes_on_in_the_next_server(tmp_path):
    directory = tmp_path / "campaign"
    options = ("--executor", "inline", "--round-budget", 20_000, "--seed", 5)
    with live_server(directory, *options) as server:
        with RawClient(server.url) as client:
            client.call("inject_transaction", sequence=["deposit()"], value="77")
            # Not any corpus: a round may end before the one that takes up the call.
            until(lambda: injected(client), "the call in the corpus")
        assert server.stop() == 0
    with live_server(directory, *options) as server:
        with RawClient(server.url) as client:
            assert injected(client)
            events = client.call("read_logs", count=2500)["events"]
            resumed = [e for e in events if e["eventType"] == "CampaignResumed"]
            assert len(resumed) == 1
            client.call("clear_priorities")
            last = resumed[0]["round"]
            until(lambda: client.call("show_coverage")["round"] > last, "new rounds")
        assert server.stop() == 0
        # The database alone is the whole store, whoever copies it.
        assert not list(directory.glob("campaign.db-*"))
        tools = [line["tool"] for line in server.commands]
        assert tools == ["inject_transaction", "clear_priorities"]
    replayed = run_cli("replay", directory / "mcp-commands.jsonl")
    assert replayed.returncode == 0, replayed.stderr
