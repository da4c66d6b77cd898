"""Contracts of others: one digest each, whatever runs them.

ecrecover, MODEXP, CREATE2, self-destruct, transient storage, and a property that falls,
so that py-evm confirms it while workers go on searching. Each executor and each mode of
hot code comes with each contract here; `nox -s outside` has all combinations, cold.
"""

from __future__ import annotations

import pytest
from outside import CALLS, EXECUTORS, HARNESSES, MODES, run_harness

pytestmark = [pytest.mark.solc, pytest.mark.digests]


def test_every_harness_is_run():
    assert sorted(CALLS) == sorted(file.stem for file in HARNESSES.glob("*.sol"))


CASES = [
    (name, calls, executor, MODES[(first + number) % len(MODES)])
    for first, (name, calls) in enumerate(
        [("SoladyToken", 10_000), ("TransientBank", 20_000)]
    )
    for number, executor in enumerate(EXECUTORS)
]


@pytest.mark.parametrize(("name", "calls", "executor", "mode"), CASES)
def test_a_campaign_is_the_same(*, harness, tmp_path, name, calls, executor, mode):
    artifact, expected = harness(name, calls)
    place = tmp_path / "s"
    assert run_harness(artifact, place, calls, executor=executor, mode=mode) == expected
