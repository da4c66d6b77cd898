from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab_contract import write_lab
from live_server import LiveServer, RawClient, live_server, until
from solc import require_solc

SHORT_ROUNDS = ("--workers", 4, "--round-budget", 20_000, "--seq-len", 20, "--seed", 7)


@pytest.fixture(scope="session")
def lab_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Solidity source; servers compile it when they start."""
    require_solc()
    return write_lab(tmp_path_factory.mktemp("lab"))


# Not for the session: it keeps the processors busy for as long as it lasts.
@pytest.fixture(scope="module")
def lab(
    lab_source: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LiveServer]:
    """A campaign that runs for all tests of a file; they leave no priorities behind."""
    directory = tmp_path_factory.mktemp("live") / "campaign"
    arguments = (lab_source, *SHORT_ROUNDS, "--executor", "processes:2")
    with live_server(
        directory, *arguments, "--plugins", "default", "--format", "none"
    ) as server:
        with RawClient(server.url) as client:
            until(lambda: client.call("get_corpus_size")["size"] > 0, "the first round")
        yield server
        assert server.stop() == 0
        assert server.survivors() == []
