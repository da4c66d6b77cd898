"""Goals: how near what tests compare comes to the outcome that nobody has seen.

A test that holds compares what it asks the contracts for. If one of these comparisons
had the other outcome it might not hold. So a state in which the operands are nearer to
that than in any before is worth going on from, as one with new code is.

Nearer by how much they differ (`nearness`), or by which part of the greater one that is
(`closeness`): what is nearest to `debt <= collateral` by the difference is that both
are 0, but what leads on is the greatest debt for its collateral.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_COMPARISONS
from echidna_mcp.fuzz.climbing.comparisons import (
    CLOSER,
    COMPARISON_ROW,
    COMPARISON_SITE,
    LIKER,
    NEARER,
    closeness,
    compares,
    kind_at,
    left_at,
    likeness,
    mark_at,
    mask_mark,
    nearness,
    outcome_at,
    right_at,
)
from echidna_mcp.fuzz.climbing.sites import (
    BOTH,
    CLOSEST,
    NEAREST,
    NO_ROW,
    row_of,
    see,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    copy,
    load64,
    u64,
    u256,
    wrap64,
)

GOAL_CLIMBS = 4
"""At the end of one climbed sequence in so many a test is climbed."""
LOOKED = 256
"""Comparisons that are remembered as looked at."""


def next_goal(c: Climb, count: u64) -> u64:
    """Return the number, from 1, of the test to climb now, of `count`; 0 for none."""
    turn = c.turn
    c.turn = turn + 1
    if count == 0 or turn % GOAL_CLIMBS != 0:
        return 0
    return 1 + turn // GOAL_CLIMBS % count


def find_goal(c: Climb, log: Bytes, count: u64, selector: u256) -> u64:
    """Find a comparison of a test that is nearer to the other outcome than ever.

    Note is taken of the outcomes of those before it.

    Args:
        c: the record.
        log: what the test has compared.
        count: how many comparisons it made.
        selector: of its function, which is compared with those of others to choose it.

    Returns:
        0 for none; else 1 + 2 * the byte of the log at which its row begins, and
        `CLOSER` or `LIKER` more if it is that instead.
    """
    number = wrap64(0)
    if count > MOST_COMPARISONS:
        number = count - MOST_COMPARISONS
    while number < count:
        at = number % MOST_COMPARISONS * COMPARISON_ROW
        number = number + 1
        # Tests compare the same words again and again: they are no news then.
        place = load64(log, at + COMPARISON_SITE) + number
        place = place % LOOKED * COMPARISON_ROW
        if is_same(c.looked, place, log, at) == 0:
            row = row_of(c.sites, mark_at(log, at))
            if compares(log, at, selector) == 0:
                sooner = look_at(c, row, log, at)
                if sooner != 0:
                    return 2 * at + sooner
                copy(c.looked, place, log, at, COMPARISON_ROW)
    return wrap64(0)


def look_at(c: Climb, row: u64, log: Bytes, at: u64) -> u64:
    """Return what `is_sooner` does of a comparison; take note of the outcome if 0."""
    if row == NO_ROW or c.sites[row + 1] & BOTH == BOTH:
        return wrap64(0)
    sooner = is_sooner(c, row, log, at)
    if sooner == 0:
        see(c.sites, row, outcome_at(log, at), c.seldom_targets)
    return sooner


def is_same(looked: Bytes, place: u64, log: Bytes, at: u64) -> u64:
    """Return 1 if a comparison was looked at with the same operands, else 0."""
    if load64(looked, place + COMPARISON_SITE) != load64(log, at + COMPARISON_SITE):
        return 0
    if left_at(looked, place) != left_at(log, at):
        return 0
    if right_at(looked, place) != right_at(log, at):
        return 0
    if kind_at(looked, place) != kind_at(log, at):
        return 0
    return 1


def is_sooner(c: Climb, row: u64, log: Bytes, at: u64) -> u64:
    """Return 1 + by which measure a comparison is nearer than any before, or 0."""
    sites = c.sites
    wanted = wanted_at(sites, row, log, at)
    kind = kind_at(log, at)
    left = left_at(log, at)
    right = right_at(log, at)
    known = sites[row + NEAREST]
    if known == 0 or nearness(kind, wanted, left, right) < known:
        return 1 + wrap64(NEARER)
    known = sites[row + CLOSEST]
    if known == 0 or closeness(kind, wanted, left, right) < known:
        return 1 + wrap64(CLOSER)
    if c.masks != 0 and is_liker(sites, row, log, at, wanted, 0) != 0:
        return 1 + wrap64(LIKER)
    return wrap64(0)


def is_liker(
    sites: Words, row: u64, log: Bytes, at: u64, wanted: u64, others: u64
) -> u64:
    """Return 1 if words that shall be equal are liker than ever, else 0.

    Args:
        sites: what the task has seen.
        row: of the comparison there.
        log: what was compared.
        at: where the row of the comparison begins.
        wanted: its outcome that was not seen.
        others: 1 if the first ones of a task are what others are held against.
    """
    like = likeness(kind_at(log, at), wanted, left_at(log, at), right_at(log, at))
    if like == 0:
        return wrap64(0)
    known = row_of(sites, mask_mark(sites[row]))
    if known == NO_ROW:
        return wrap64(0)
    before = sites[known + NEAREST]
    if before == 0 and others != 0:
        sites[known + NEAREST] = like
        return wrap64(0)
    if before == 0 or like < before:
        return wrap64(1)
    return wrap64(0)


def wanted_at(sites: Words, row: u64, log: Bytes, at: u64) -> u64:
    """Return the outcome of a comparison, of the two not both, that was not seen."""
    seen = sites[row + 1] & BOTH
    if seen != 0:
        return wrap64(2) - seen
    return 1 - outcome_at(log, at)
