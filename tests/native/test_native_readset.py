"""Properties that are not evaluated while what they read is the same."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest
from campaigns import small_config
from corpus_contracts import corpus_program, mode_of
from native_backends import named

from echidna_mcp.campaign.replica import Replica
from echidna_mcp.campaign.round import run_round
from echidna_mcp.campaign.tasks import RoundTask, WorkerSetup
from echidna_mcp.program.target import build_target

# Properties over storage, the clock, balances, new and destroyed accounts, calls.
CONTRACTS = (
    "Clock",
    "Factory",
    "Payments",
    "SelfDestruct",
    "StorageHeavy",
    "Token",
    "Transient",
    "TryCatch",
    "VaultHandler",
)


@pytest.mark.parametrize("name", CONTRACTS)
def test_results_are_the_same_whether_properties_are_skipped(name: str) -> None:
    config = replace(
        small_config(test_mode=mode_of(name)), workers=1, round_budget=400_000
    )
    target = build_target(corpus_program(name, ""), config)
    digests = []
    for skipping in (1, 0):
        replica = Replica(WorkerSetup(target, named("compiled")))
        searcher = cast("Any", replica.searcher)
        searcher._state.skipping = skipping
        task = RoundTask(round=2, worker=0, budget=400_000)
        digests.append(run_round(replica, task).digest)
    assert digests[0] == digests[1]
