"""Goals: how near what tests compare comes to the outcome that nobody has seen.

A test that holds compares what it asks the contracts for. If one of these comparisons
had the other outcome it might not hold. So a state in which the operands are nearer to
that than in any before is worth going on from, as one with new code is.
"""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_ROW,
    copy_log,
    kind_at,
    left_at,
    mark_at,
    nearness,
    outcome_at,
    right_at,
)
from echidna_mcp.fuzz.climbing.sites import BOTH, NO_ROW, row_of, see_all
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.kernel.language.memory import Bytes, u64, u256, wrap64

GOAL_CLIMBS = 4
"""At the end of one climbed sequence in so many a test is climbed."""


def next_goal(c: Climb, count: u64) -> u64:
    """Return the number, from 1, of the test to climb now, of `count`; 0 for none."""
    turn = c.turn
    c.turn = turn + 1
    if count == 0 or turn % GOAL_CLIMBS != 0:
        return 0
    return 1 + turn // GOAL_CLIMBS % count


def find_goal(c: Climb, log: Bytes, count: u64, selector: u256) -> u64:
    """Find a comparison of a test that is nearer to the other outcome than ever.

    If there is none, note is taken of the outcomes.

    Args:
        c: the record; `heard` gets the comparisons.
        log: what the test has compared.
        count: how many comparisons it made.
        selector: of its function, which is compared with those of others.

    Returns:
        Its number among those in `heard`, from 1; 0 for none.
    """
    heard = copy_log(log, count, c.heard)
    for number in range(heard):
        at = number * COMPARISON_ROW
        if is_dispatch(c, at, selector) == 0 and is_nearest(c, at) != 0:
            return number + 1
    see_all(c.sites, c.heard, heard)
    return 0


def is_dispatch(c: Climb, at: u64, selector: u256) -> u64:
    """Return 1 if the comparison at byte `at` of `heard` chooses the function."""
    if left_at(c.heard, at) == selector or right_at(c.heard, at) == selector:
        return 1
    return 0


def is_nearest(c: Climb, at: u64) -> u64:
    """Return 1 if the comparison at byte `at` of `heard` is nearer than any before."""
    row = row_of(c.sites, mark_at(c.heard, at))
    if row == NO_ROW:
        return 0
    seen = c.sites[row + 1] & BOTH
    if seen == BOTH:
        return 0
    near = nearness_at(c, at, seen)
    if c.sites[row + 2] != 0 and c.sites[row + 2] <= near:
        return 0
    return 1


def nearness_at(c: Climb, at: u64, seen: u64) -> u64:
    """Return how near a comparison is to the outcome that was not seen.

    Args:
        c: the record.
        at: where it stands in `heard`.
        seen: a bit for each outcome; not both.
    """
    wanted = wanted_at(c, at, seen)
    left = left_at(c.heard, at)
    return nearness(kind_at(c.heard, at), wanted, left, right_at(c.heard, at))


def wanted_at(c: Climb, at: u64, seen: u64) -> u64:
    """Return the outcome that was not seen; see `nearness_at`."""
    if seen != 0:
        return wrap64(2) - seen
    return 1 - outcome_at(c.heard, at)
