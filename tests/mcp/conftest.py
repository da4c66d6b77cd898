"""A campaign that agents of LangChain work on (FR-016)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_contract import SOURCE, write_lab
from live_server import LiveServer, RawClient, live_server, until
from solc import compile_solidity, require_solc

SHORT_ROUNDS = (
    *("--workers", 4, "--round-budget", 20_000, "--seq-len", 20, "--seed", 7),
    *("--executor", "threads:1", "--format", "none"),
)


@pytest.fixture(scope="session")
def lab_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Solidity source; servers compile it when they start."""
    require_solc()
    return write_lab(tmp_path_factory.mktemp("lab"))


@pytest.fixture(scope="session")
def lab_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, compiled, for servers that a client starts again and again."""
    program = compile_solidity(SOURCE, "Lab", name="Lab.sol")
    path = tmp_path_factory.mktemp("compiled") / "Lab.json"
    path.write_text(json.dumps(program.to_json()), "utf-8")
    return path


@pytest.fixture(scope="module")
def lab(
    lab_source: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveServer]:
    """A campaign that runs for all tests of a file; they leave no priorities behind."""
    directory = tmp_path_factory.mktemp("agents") / "campaign"
    with live_server(directory, lab_source, *SHORT_ROUNDS) as server:
        with RawClient(server.url) as client:
            until(lambda: client.call("get_corpus_size")["size"] > 0, "the first round")
        yield server
        assert server.stop() == 0
        assert server.survivors() == []
