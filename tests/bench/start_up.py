"""How long it takes from a command to the first results of its campaign."""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from serving import PROGRAM, Client, seconds_of_tree, server

from echidna_mcp.errors import EchidnaMcpError
from echidna_mcp.events.store import EventStore, store_path

TRIES = 5
_POLL_SECONDS = 0.01


class Start(NamedTuple):
    """Seconds until there were results: wall time, and of all processors together."""

    wall: float
    processor: float


def main() -> None:
    """Print the figures."""
    print("Seconds from the command to the first results (wall time, processor time)")
    for name, measure in (("serve", first_answer), ("run", first_round)):
        for cache, environment in (("filled", kept), ("empty", empty)):
            starts = []
            for _ in range(TRIES):
                with environment() as variables:
                    starts.append(measure(variables))
            wall, processor = (
                statistics.median(each) for each in zip(*starts, strict=True)
            )
            print(f"  {name:<6} cache {cache:<7} {wall:6.2f} {processor:6.2f}")


@contextlib.contextmanager
def kept() -> Iterator[Mapping[str, str]]:
    """Yield our environment; the caches of the user hold what was compiled before."""
    yield os.environ


@contextlib.contextmanager
def empty() -> Iterator[Mapping[str, str]]:
    """Yield an environment in which nothing has been compiled yet."""
    with tempfile.TemporaryDirectory() as directory:
        yield {**os.environ, "ECHIDNA_MCP_CACHE": directory}


def first_answer(environment: Mapping[str, str]) -> Start:
    """Start `serve`; return when a client sees what the first round has found."""
    begin = time.perf_counter()
    with (
        tempfile.TemporaryDirectory() as directory,
        server(directory, "--seed", "1", environment=environment) as (url, process),
    ):
        client = Client(url)
        while not _size(client.answer("get_corpus_size", {})):
            time.sleep(_POLL_SECONDS)
        return Start(time.perf_counter() - begin, seconds_of_tree(process))


def _size(result: Any) -> int:
    (content,) = result["content"]
    return int(json.loads(content["text"])["size"])


def first_round(environment: Mapping[str, str]) -> Start:
    """Start `run`; return when its store holds a round."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as directory:
        options = ["--seed", "1", "--test-limit", str(10**12), "--format", "none"]
        process = subprocess.Popen(
            [*PROGRAM, "run", *options, "--corpus-dir", directory],
            env=dict(environment),
            stderr=subprocess.DEVNULL,
        )
        try:
            while not _has_round(store_path(Path(directory))):
                time.sleep(_POLL_SECONDS)
            return Start(time.perf_counter() - begin, seconds_of_tree(process.pid))
        finally:
            process.terminate()
            process.wait()


def _has_round(path: Path) -> bool:
    """Whether a store holds a round; also if it is being made just now."""
    try:
        with EventStore.read_only(path) as store:
            return any(store.read(types=["RoundCommitted"], limit=1))
    except EchidnaMcpError:
        return False


if __name__ == "__main__":
    main()
