"""Three agents at once: no error, and a command log that says exactly what they did."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from lab_contract import FUNCTIONS, UNLOCK
from live_server import live_server, run_cli
from mcp import Client
from mcp.client.sse import sse_client
from tool_results import Agent

from echidna_mcp.events.store import EventStore, store_path

pytestmark = [pytest.mark.solc, pytest.mark.servers]

CONTROL = ("inject_transaction", "prioritize_function", "clear_priorities")


class Worker:
    """One agent that calls tools in a mixed order and remembers its commands."""

    def __init__(self, number: int, target: Any, mode: Any) -> None:
        self._number = number
        self._target = target
        self._mode = mode
        self._random = random.Random(number)
        self._tools = {
            "read_logs": lambda: {"count": self._random.choice([1, 100, 2500])},
            "show_coverage": dict,
            "dump_lcov": dict,
            "get_corpus_size": dict,
            "inspect_corpus_transactions": lambda: {
                "offset": self._random.randrange(200)
            },
            "find_transaction_in_corpus": lambda: {
                "functionSignature": self._random.choice(["add", UNLOCK, "deposit"])
            },
            "inject_transaction": lambda: {
                "sequence": [f"add({self._number}, {len(self.commands)})", "deposit()"]
            },
            "prioritize_function": lambda: {
                "functionSignature": self._random.choice(FUNCTIONS)
            },
            "clear_priorities": dict,
        }
        self.commands: list[tuple[str, Any]] = []
        self.calls = 0

    async def work(self, until: float) -> None:
        """Call tools, one after the other; each answer fits its schema."""
        async with Client(self._target, mode=self._mode) as client:
            agent = Agent(client)
            # On a busy machine that may not be time enough for anything.
            while time.monotonic() < until or self.calls < 10 or not self.commands:
                tool = self._random.choice(list(self._tools))
                arguments = self._tools[tool]()
                await agent.ask(tool, **arguments)
                self.calls += 1
                if tool in CONTROL:
                    self.commands.append((tool, arguments))


def as_given(line: dict[str, Any]) -> tuple[str, Any]:
    """Return a logged command as its client gave it, without defaults."""
    given = {
        name: value
        for name, value in line["args"].items()
        if name in {"sequence", "functionSignature"}
    }
    return line["tool"], given


def accepted(directory: Path) -> list[tuple[int, int, str, Any]]:
    with EventStore.read_only(store_path(directory)) as store:
        events = tuple(store.read(types=("CommandAccepted",)))
    return [(e.seq, e.round, e.payload["tool"], e.payload["args"]) for e in events]


@pytest.mark.parametrize("seconds", [6, pytest.param(60, marks=pytest.mark.slow)])
async def test_every_command_is_logged_once_and_in_order(lab_source, tmp_path, seconds):
    directory = tmp_path / "campaign"
    arguments = (lab_source, "--workers", 4, "--round-budget", 20_000, "--seq-len", 20)
    with live_server(directory, *arguments, "--executor", "processes:2") as server:
        workers = [
            Worker(0, server.url, "auto"),
            Worker(1, server.url, "legacy"),
            Worker(2, sse_client(server.sse_url), "legacy"),
        ]
        end = time.monotonic() + seconds
        await asyncio.gather(*(worker.work(end) for worker in workers))
        assert server.stop() == 0
        assert server.survivors() == []
        lines = server.commands

    assert all(worker.calls >= 10 and worker.commands for worker in workers)
    given = [command for worker in workers for command in worker.commands]
    logged = [as_given(line) for line in lines]
    assert Counter(map(json.dumps, logged)) == Counter(map(json.dumps, given))
    for worker in workers:  # each agent's injections name their place
        mine = [c for c in worker.commands if c[0] == "inject_transaction"]
        assert [command for command in logged if command in mine] == mine

    sequence = [line["seq"] for line in lines]
    assert sequence == sorted(set(sequence))
    rounds = [line["round"] for line in lines]
    assert rounds == sorted(rounds)
    assert {line["result"] for line in lines} == {"success"}
    stored = accepted(directory)
    assert [(x["seq"], x["round"], x["tool"], x["args"]) for x in lines] == stored

    verified = run_cli("verify", directory)
    assert verified.returncode == 0, verified.stderr
    assert "the chain is intact" in verified.stdout
    replayed = run_cli("replay", directory / "mcp-commands.jsonl")
    assert replayed.returncode == 0, replayed.stderr
    assert replayed.stdout.startswith("Reproduced: ")
    assert f"{len(lines)} commands" in replayed.stdout
