"""A campaign that every client works on, reachable over every transport."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from inspector_commands import Inspector, Program, connection_keeper
from lab_contract import SOURCE
from live_server import LiveServer, RawClient, command, live_server, until
from solc import compile_solidity

SHORT_ROUNDS = (
    *("--workers", 4, "--round-budget", 20_000, "--seq-len", 20, "--seed", 7),
    *("--executor", "threads:1", "--format", "none"),
)


@pytest.fixture(scope="session")
def lab_arguments(tmp_path_factory: pytest.TempPathFactory) -> tuple[object, ...]:
    """What `serve` is started with; the target is compiled only once."""
    program = compile_solidity(SOURCE, "Lab", name="Lab.sol")
    path = tmp_path_factory.mktemp("lab") / "Lab.json"
    path.write_text(json.dumps(program.to_json()), "utf-8")
    return path, *SHORT_ROUNDS


@pytest.fixture(scope="module")
def options() -> tuple[str, ...]:
    """Further options of the server; a module may have its own."""
    return ()


# One campaign at a time: each keeps a core busy.
@pytest.fixture(scope="module")
def lab(
    lab_arguments: tuple[object, ...],
    options: tuple[str, ...],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[LiveServer]:
    """A server in whose campaign something of every kind has happened."""
    directory = tmp_path_factory.mktemp("clients") / "campaign"
    with campaign(directory, *lab_arguments, *options) as server:
        yield server


@contextmanager
def campaign(directory: Path, *arguments: object) -> Iterator[LiveServer]:
    """Serve a campaign in which something of every kind has happened, and end it."""
    with live_server(directory, *arguments) as server:
        with RawClient(server.url) as client:
            until(lambda: _everything_happened(client), "something of every kind")
        yield server
        assert server.stop() == 0
        assert server.survivors() == []
        assert "Traceback" not in server.stderr


def _everything_happened(client: RawClient) -> bool:
    found = client.call("read_logs", eventType="PropertyFalsified", count=1)
    return bool(found["events"]) and client.call("get_corpus_size")["size"] > 0


# -------------------------------------------------------------------- Inspector


@pytest.fixture(scope="session")
def inspector(tmp_path_factory: pytest.TempPathFactory) -> Inspector:
    """The package of both command lines."""
    return Inspector(tmp_path_factory.mktemp("home"), Path(__file__).parent)


@pytest.fixture(scope="module")
def mcpdo(inspector: Inspector) -> Iterator[Program]:
    """The command line with connections."""
    with connection_keeper(inspector) as program:
        yield program


@pytest.fixture(scope="module")
def started_by_a_client(
    lab_arguments: tuple[object, ...], tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[str], list[str]]:
    """Options of the Inspector, and how it starts a server that goes on from a corpus.

    Every server that is started there goes on with the same campaign.
    """
    directory = tmp_path_factory.mktemp("started") / "campaign"
    with campaign(directory, *lab_arguments):
        pass
    words = command("serve", *lab_arguments, "--transport", "stdio")
    words += ["--corpus-dir", str(directory)]
    # It hands on only what it is told to of its environment.
    cache = f"ECHIDNA_MCP_CACHE={os.environ['ECHIDNA_MCP_CACHE']}"
    return ["--transport", "stdio", "-e", cache], words
