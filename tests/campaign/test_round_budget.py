"""How much work the rounds of a campaign are given."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.rounds.engine import FIRST_BUDGET, round_budget

wholes = st.integers(1, (1 << 63) - 1)
LAST_SHORT_ROUND = 7


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
