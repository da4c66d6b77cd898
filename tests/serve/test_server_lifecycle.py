"""SC-007: servers start and stop without crashes, losses or processes left behind."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from live_server import (
    STOP_SECONDS,
    LiveServer,
    RawClient,
    live_server,
    run_cli,
    started_server,
    stored,
    until,
)

from echidna_mcp.campaign.verification import verify
from echidna_mcp.events.store import store_path
from echidna_mcp.server.address import listen

pytestmark = pytest.mark.servers

PROTOCOL = "2026-07-28"
AT_ONCE = 3
EXECUTORS = ("inline", "processes:2", "threads:2")
UNCONFIRMED = re.compile(r"WARNING:.* being confirmed; it is not reported\. .*\n")
"""What a server says that was ended in the moment in which it confirmed a failure."""


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


@dataclass(frozen=True, slots=True)
class Life:
    """One way to run a server and to end it.

    Attributes:
        connected: clients are connected when it ends: one listens to an event stream,
            one to changes of a resource, one has sent half of a request.
        limited: the campaign reaches its test limit first.
    """

    executor: str
    end: Callable[[LiveServer], None]
    connected: bool
    limited: bool

    def run(self, directory: Path) -> None:
        """Run one server, give it commands, end it, and look at what is left."""
        limit = ("--test-limit", 3000) if self.limited else ()
        with live_server(directory, "--executor", self.executor, *limit) as server:
            with RawClient(server.url) as client, ExitStack() as stack:
                if self.limited:
                    until(lambda: stopped(client), "the test limit")
                else:
                    client.call("prioritize_function", functionSignature="deposit()")
                    client.call("inject_transaction", sequence=["deposit()"], value="1")
                    client.call("clear_priorities")
                if self.connected:
                    connect(server, stack)
                self.end(server)
                assert server.process.wait(STOP_SECONDS) == 0, server.stderr
            self.look_at_what_is_left(server)

    def look_at_what_is_left(self, server: LiveServer) -> None:
        assert server.survivors() == []
        commands = ["prioritize_function", "inject_transaction", "clear_priorities"]
        expected = [] if self.limited else commands
        assert [line["tool"] for line in server.commands] == expected
        told = UNCONFIRMED.sub("", server.stderr)
        for bad in ("Traceback", "Error", "ERROR", "WARNING", "leaked"):
            assert bad not in told
        end = "The test limit was" if self.limited else "The campaign was asked to stop"
        assert end in server.stderr
        assert verify(store_path(server.directory)).events > 0
        parts = urlsplit(server.url)
        listen(parts.hostname or "", parts.port or 0).close()


def stopped(client: RawClient) -> bool:
    events = client.call("read_logs", eventType="WorkerStopped")["events"]
    return bool(events)


def connect(server: LiveServer, stack: ExitStack) -> None:
    """Leave connections open, of each kind one."""
    parts = urlsplit(server.url)
    listening = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "subscriptions/listen",
        "params": {
            "notifications": {"resourceSubscriptions": ["echidna://campaign"]},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": PROTOCOL,
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        },
    }
    body = json.dumps(listening)
    headers = (
        "Host: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"MCP-Protocol-Version: {PROTOCOL}\r\nMcp-Method: subscriptions/listen\r\n"
        "Accept: application/json, text/event-stream\r\n"
    )
    requests = (
        "GET /sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        f"POST /mcp HTTP/1.1\r\n{headers}Content-Length: {len(body)}\r\n\r\n{body}",
        f"POST /mcp HTTP/1.1\r\n{headers}Content-Length: 500\r\n\r\n{{",
    )
    for request, answers in zip(requests, (True, True, False), strict=True):
        connection = socket.create_connection((parts.hostname, parts.port), 20)
        stack.enter_context(connection)
        connection.sendall(request.encode())
        if answers:
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("cycles", [10, pytest.param(100, marks=pytest.mark.slow)])
def test_servers_come_and_go(tmp_path, cycles):
    ends = (interrupt, interrupt_all, interrupt, terminate, interrupt, terminate_all)

    def cycle(number: int) -> None:
        life = Life(
            executor=EXECUTORS[number % len(EXECUTORS)],
            end=ends[number // 2 % len(ends)],
            connected=number % 4 < 2,
            limited=number % 5 == 0,
        )
        life.run(tmp_path / str(number))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert len(list(pool.map(cycle, range(cycles)))) == cycles


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_stopped_while_it_starts_leaves_nothing(tmp_path, number):
    with started_server(tmp_path / "campaign", "--executor", "processes:2") as server:
        until(lambda: len(server.survivors(0)) > 1, "the campaign process")
        os.killpg(server.process.pid, number)
        assert server.process.wait(STOP_SECONDS) in {0, 130, -number}
        assert server.survivors() == []
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
            # The store has it; the newest events, which clients read, may not any more.
            (resumed,) = stored(directory, "CampaignResumed")
            client.call("clear_priorities")
            last = resumed.round
            until(lambda: client.call("show_coverage")["round"] > last, "new rounds")
        assert server.stop() == 0
        # The database alone is the whole store, whoever copies it.
        assert not list(directory.glob("campaign.db-*"))
        tools = [line["tool"] for line in server.commands]
        assert tools == ["inject_transaction", "clear_priorities"]
    replayed = run_cli("replay", directory / "mcp-commands.jsonl")
    assert replayed.returncode == 0, replayed.stderr
