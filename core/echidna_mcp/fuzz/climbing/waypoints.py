"""Waypoints: calls that come nearer than ever to an outcome that climbing can't give.

What a call compares with storage is no matter of its arguments: a count of votes, a
mask of bits that other calls have set. If the other outcome was sought in vain, a
sequence behind which the operands are nearer to it than behind all before is worth
going on from, as one with new code is (comparison waypoints of ItyFuzz, ISSTA 2023).
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_COMPARISONS
from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_ROW,
    LIKER,
    kind_at,
    left_at,
    nearness,
    right_at,
)
from echidna_mcp.fuzz.climbing.goals import is_liker, wanted_at
from echidna_mcp.fuzz.climbing.sites import (
    BOTH,
    FOUND,
    NEAREST,
    NO_ROW,
    TRIES_MASK,
    TRIES_SHIFT,
    row_in,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.kernel.language.memory import Bytes, u64, wrap64

FEWEST_TRIES = 2
"""So often an outcome was sought in vain before it has waypoints."""
FAR = 1010
"""The `nearness` of operands 2^128 apart: hashes and addresses are nearer by luck."""


def find_waypoint(c: Climb, context: u64, log: Bytes, count: u64) -> u64:
    """Find a comparison of a call that is nearer to an outcome than any before.

    The first one of a task that is made at all is what others are held against. The
    outcome itself is none: what it leads to is news of another kind.

    Args:
        c: the record.
        context: of the call.
        log: what it has compared, which is about to be climbed.
        count: how many comparisons it made.

    Returns:
        As `find_goal`.
    """
    if c.waypoints == 0:
        return wrap64(0)
    number = wrap64(0)
    if count > MOST_COMPARISONS:
        number = count - MOST_COMPARISONS
    while number < count:
        at = number % MOST_COMPARISONS * COMPARISON_ROW
        number = number + 1
        row = row_in(c.sites, context, log, at)
        if row != NO_ROW and is_waypoint(c, row) != 0:
            wanted = wanted_at(c.sites, row, log, at)
            near = nearness(
                kind_at(log, at), wanted, left_at(log, at), right_at(log, at)
            )
            known = c.sites[row + NEAREST]
            if known == 0:
                c.sites[row + NEAREST] = near
            elif near < known and near != 1 and near < FAR:
                return 2 * at + 1
            if c.masks != 0 and is_liker(c.sites, row, log, at, wanted, 1) != 0:
                return 2 * at + 1 + LIKER
    return wrap64(0)


def is_waypoint(c: Climb, row: u64) -> u64:
    """Return 1 if the other outcome of a comparison is sought by waypoints, else 0."""
    state = c.sites[row + 1]
    if state & BOTH == BOTH or state & FOUND != 0:
        return 0
    if state >> TRIES_SHIFT & TRIES_MASK < FEWEST_TRIES:
        return 0
    return 1
