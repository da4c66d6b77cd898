"""How much work the rounds of a campaign are given."""

from __future__ import annotations

import pytest
from campaigns import replayed, small_config, started
from hypothesis import given
from hypothesis import strategies as st
from native_backends import native

from echidna_mcp.demo import load_demo
from echidna_mcp.rounds.tasks import (
    FIRST_BUDGET,
    MOST_LONGER,
    QUIET_ROUNDS,
    quiet_budget,
    round_budget,
)

wholes = st.integers(1, (1 << 63) - 1)
LAST_SHORT_ROUND = 7
BUDGET = 200_000


@given(wholes)
def test_the_first_round_is_short_and_none_is_longer_than_asked_for(whole: int) -> None:
    budgets = [round_budget(number, whole) for number in range(1, 20)]
    assert budgets[0] == min(whole, max(FIRST_BUDGET, whole // 4096))
    assert budgets == sorted(budgets)
    assert max(budgets) == whole


@given(wholes, st.integers(1, 10**6))
def test_after_a_few_rounds_they_have_all_of_it(whole: int, later: int) -> None:
    assert round_budget(LAST_SHORT_ROUND + later, whole) == whole


def test_a_small_budget_is_whole_from_the_beginning() -> None:
    assert round_budget(1, FIRST_BUDGET) == FIRST_BUDGET
    assert round_budget(1, 1) == 1


@given(wholes, st.integers(0, 10**6))
def test_rounds_get_longer_while_nothing_is_new(whole: int, quiet: int) -> None:
    assert quiet_budget(whole, min(quiet, QUIET_ROUNDS - 1)) == whole
    assert quiet_budget(whole, QUIET_ROUNDS) == 2 * whole
    assert quiet_budget(whole, quiet) <= whole << MOST_LONGER
    assert quiet_budget(whole, quiet) <= quiet_budget(whole, quiet + 1)


@pytest.mark.parametrize("calibrated", [False, True])
def test_rounds_of_a_calibrated_budget_are_long_until_something_is_new(
    tmp_path, calibrated
):
    """Whether it was calibrated is stored: such rounds replay like others."""
    config = small_config(
        round_budget=BUDGET,
        longer_rounds=calibrated,
        workers=1,
        climbing=False,
        states=False,
        function_constants=False,
        test_mode="exploration",
    )
    with started(tmp_path, load_demo(), config, backend=native()) as running:
        running.rounds(60)
        # There are no states: all news are something to go on from.
        rounds = [
            each.round for each in running.events if each.type == "CoverageIncreased"
        ]
        quiet = running.views.progress.round - rounds[-1]
        assert quiet >= QUIET_ROUNDS
        assert replayed(running.events, native()) == running.digests()[-1]
        (task,) = running.campaign.engine.plan().tasks
    assert task.budget == (quiet_budget(BUDGET, quiet) if calibrated else BUDGET)


def test_a_calibrated_budget_is_stored_as_one(tmp_path):
    for wanted, calibrated in (0, True), (20_000, False):
        config = small_config(round_budget=wanted)
        with started(tmp_path / str(wanted), load_demo(), config) as running:
            stored = running.events[0].payload["config"]
        assert stored.get("longer_rounds", False) == calibrated
