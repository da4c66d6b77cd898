"""The first sequence of a task, which the searcher runs while it shows nothing."""

from __future__ import annotations

from typing import Any, cast

import pytest
from campaigns import small_config
from native_backends import named
from solc import compile_solidity

from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.tasks import RoundResult, RoundTask

SOURCE = """
contract Ways {
    uint256 public count;
    function add(uint8 n) external { count += n; }
    function fail(uint8 n) external { require(n > 200, "too small"); count = n; }
    function halt() external pure { assembly { invalid() } }
    function yes() external pure returns (bool) { return true; }
    function shout(uint16 size) external pure {
        assembly { revert(0, add(mul(gt(size, 32768), 70000), and(size, 31))) }
    }
    function echidna_count() external view returns (bool) { return count != 77; }
}
"""
ROUNDS = range(2, 42)
BUDGET = 60_000
"""Work units: less than the first sequence takes, so that nothing comes after it."""


@pytest.mark.parametrize("mode", ["compiled", "checked"])
@pytest.mark.parametrize("climbing", [False, True])
def test_samples_and_counts_are_those_of_the_reference(
    climbing: bool, mode: str
) -> None:
    target = build_target(compile_solidity(SOURCE, "Ways"), small_config())
    native = Replica(WorkerSetup(target, named(mode)))
    reference = Replica(WorkerSetup(target, named("py-evm")))
    results = [results_of(each, climbing=climbing) for each in (native, reference)]
    assert results[0] == results[1]
    samples = [sample for result in results[0] for sample in result.samples]
    reasons = {sample.reason for sample in samples}
    assert "too small" in str(reasons)
    assert {sample.status for sample in samples} >= {"REVERT", "RETURN_TRUE", "STOP"}
    # Most have shown nothing, and were run by the searcher.
    assert cast("Any", native.searcher)._calls > 0


def results_of(replica: Replica, *, climbing: bool) -> list[RoundResult]:
    tasks = (
        RoundTask(round=number, worker=0, budget=BUDGET, climbing=climbing)
        for number in ROUNDS
    )
    return [run_round(replica, task) for task in tasks]
