"""Contracts of others, while all machine code is built anew: one digest each.

What a thread imports, parses or compiles in the midst of a search differs from run to
run then. `nox -s outside` runs it: 450 campaigns.
"""

from __future__ import annotations

import pytest
from outside import CALLS, EXECUTORS, MODES, run_harness

pytestmark = pytest.mark.solc

REPETITIONS = 5


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("repetition", range(REPETITIONS))
def test_a_campaign_is_the_same(*, harness, tmp_path, repetition, name, executor, mode):
    calls, place, cold = CALLS[name], tmp_path / "s", tmp_path / "cold"
    artifact, expected = harness(name, calls)
    assert (
        run_harness(artifact, place, calls, executor=executor, mode=mode, cache=cold)
        == expected
    )
