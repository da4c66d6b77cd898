"""What share of the calls prioritized functions get (FR-008, SC-003), over HTTP.

The twelve functions of `Dozen` are as different as can be: in what they compare, which
climbing answers, in what they cost, and in how much of the corpus is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from live_server import RawClient, live_server, until

SOURCE = Path(__file__).parents[1] / "solidity" / "Dozen.sol"
PRIORITIZED = 90.0
WITHIN = 0.5
"""In percent."""
LONG = 600.0
"""Seconds."""


@contextmanager
def client_of(directory: Path, seed: int) -> Iterator[RawClient]:
    options = ("--workers", 4, "--seed", seed, "--test-limit", 10**12)
    with (
        live_server(directory, SOURCE, *options) as server,
        RawClient(server.url) as client,
    ):
        yield client


def shares(client: RawClient, calls: int, since: int = 0) -> dict[str, float]:
    """Return the shares after so many calls under the priorities of a round."""
    found: list[dict[str, Any]] = []

    def enough() -> bool:
        answer = client.call("inspect_corpus_transactions", limit=1)
        found[:] = answer["functionCalls"]
        counted = sum(each["calls"] for each in found)
        return answer["functionCallsSince"] >= since and counted >= calls

    until(enough, f"{calls} calls", LONG)
    return {each["signature"]: each["share"] for each in found}


def applied(client: RawClient, tool: str, **arguments: Any) -> int:
    """Make a control call; return the round from which on it holds."""
    said = re.search(r"round (\d+)", client.call(tool, **arguments)["message"])
    assert said
    return int(said[1])


def check_priorities(client: RawClient, functions: list[str], calls: int) -> None:
    """Prioritize functions one by one; each gets its share."""
    for function in functions:
        since = applied(client, "prioritize_function", functionSignature=function)
        share = shares(client, calls, since)[function]
        assert share == pytest.approx(PRIORITIZED, abs=WITHIN), function
        applied(client, "clear_priorities")


def check_cleared(client: RawClient, calls: int) -> None:
    """After priorities are cleared no function is left out, and all shares are told.

    They differ, for the reasons that `docs/search.md` gives: most by what the corpus
    holds, which in the end is a chain of calls of `advance` alone.
    """
    found = shares(client, calls, applied(client, "clear_priorities"))
    assert len(found) == 12
    assert sum(found.values()) == pytest.approx(100, abs=0.1)
    # Views that were called often are drawn an eighth as often as others.
    assert min(found.values()) > 100 / 12 / 3 / 8


def test_fr_008_a_prioritized_function_gets_nine_calls_of_ten(tmp_path: Path) -> None:
    with client_of(tmp_path / "campaign", 1) as client:
        shares(client, 300_000)
        functions = ["nested(uint256,bytes4,int128)", "plain()"]
        check_priorities(client, functions, 300_000)
        check_cleared(client, 300_000)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_fr_008_holds_for_each_of_twelve_functions(tmp_path: Path, seed: int) -> None:
    """Ten million calls, a thirteenth for each function and one without priorities."""
    calls = 10_000_000 // 13
    with client_of(tmp_path / "campaign", seed) as client:
        functions = sorted(shares(client, 1))
        assert len(functions) == 12
        check_priorities(client, functions, calls)
        check_cleared(client, calls)
