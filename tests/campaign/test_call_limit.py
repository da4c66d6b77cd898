"""`testLimit` means what it says: so many calls, not one more."""

from __future__ import annotations

import pytest
from campaigns import py_evm, small_config, started
from native_backends import native

from echidna_mcp.campaign.director import StopReason
from echidna_mcp.demo import load_demo

LIMITS = (1, 2, 7, 8, 9, 100, 1_234, 20_000)


@pytest.mark.parametrize("limit", LIMITS)
def test_a_campaign_makes_exactly_the_calls_of_its_limit(tmp_path, limit) -> None:
    config = small_config(
        test_mode="exploration", workers=8, seq_len=30, test_limit=limit
    )
    seen = []
    for backend in (native(), py_evm()):
        if limit > 2_000 and backend.name == "py-evm":
            continue
        place = tmp_path / backend.name
        with started(place, load_demo(), config, backend=backend) as running:
            assert running.director.run() is StopReason.TestLimitReached
            progress = running.views.progress
            assert progress.calls == limit
            assert sum(progress.functions.values()) <= limit
            seen.append(progress.state_digest)
    assert len(set(seen)) == 1


@pytest.mark.parametrize("limit", [40, 60, 200])
def test_injected_calls_count_and_leave_less_for_the_others(tmp_path, limit) -> None:
    config = small_config(test_mode="exploration", workers=4, test_limit=limit)
    injected = ("inject_transaction", {"sequence": ["deposit()"] * 3})
    with started(tmp_path, load_demo(), config, backend=native()) as running:
        running.rounds(1, {1: [injected]})
        running.director.run()
        assert running.views.progress.calls == limit


def test_injected_calls_are_made_even_beyond_the_limit(tmp_path) -> None:
    config = small_config(test_mode="exploration", workers=4, test_limit=10)
    injected = ("inject_transaction", {"sequence": ["deposit()"] * 3})
    with started(tmp_path, load_demo(), config, backend=native()) as running:
        running.rounds(1, {1: [injected]})
        assert running.views.progress.calls == 12
        assert running.director.run() is StopReason.TestLimitReached
        assert running.views.progress.calls == 12


@pytest.mark.parametrize("climbing", [False, True])
def test_the_limit_cuts_sequences_alike_on_both_backends(tmp_path, climbing) -> None:
    config = small_config(
        workers=2, seq_len=50, test_limit=333, climbing=climbing, round_budget=60_000
    )
    seen = []
    for backend in (native(), py_evm()):
        place = tmp_path / backend.name
        with started(place, load_demo(), config, backend=backend) as running:
            running.director.run()
            assert running.views.progress.calls == 333
            seen.append(running.digests())
    assert seen[0] == seen[1]
