"""Limits: calls that go as far as they are let.

A guard that was seen to hold and to fail is no target any more. But much goes wrong
right next to a guard: all shares but one are redeemed, a loan takes what its collateral
allows, a price is updated in the first second in which it may. So when nothing is left
that is sought, a call that has succeeded is driven towards the *limits* of some guards
of it: their operands come as near to each other as they can without the other outcome,
or to one less than that, by the arguments of this call and its delays alone.

Much that a call compares none of these moves: lengths, flags, what others own. So what
a call was driven to in vain it is driven to ever more seldom, as with comparisons that
are sought.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import ComparisonKind
from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_ROW,
    distance,
    gap,
    holds,
    kind_at,
    mark_at,
    mark_of_key,
)
from echidna_mcp.fuzz.climbing.places import (
    AMOUNT,
    BLOCKS,
    FIXED,
    PLACE_SORT,
    PLACE_WORDS,
)
from echidna_mcp.fuzz.climbing.seeing import WHERE_OUTER, WHERE_ROW
from echidna_mcp.fuzz.climbing.sites import (
    NO_ROW,
    forget_tries,
    give_up,
    is_sought,
    is_split,
    row_of,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.climbing.targets import is_dispatch, take_target
from echidna_mcp.fuzz.rng import mix64
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import u64, u256, wrap64, wrap256

MOST_LIMITS = 2
"""Guards of one call, at most."""
LIMIT_DOUBLINGS = 8
"""So often being in vain counts: a guard is passed over 255 times at most."""
LIMIT_BITS = 0x8B3D5F1A62C7E945
"""Tells what is known of a guard's limit from what is known of its outcomes."""


def begin_limits(c: Climb) -> None:
    """Decide how many guards of the call are driven to their limits."""
    c.limit = 0
    c.limits = 0
    if c.limiting != 0:
        c.limit_turn = c.limit_turn + 1
        c.limits = mix64(c.limit_turn) % (MOST_LIMITS + 1)


def choose_limit(tables: FuzzTables, c: Climb) -> u64:
    """Make a guard of the base the target; return 0 if there is none."""
    c.limit = 0
    while c.limits != 0 and c.succeeded != 0:
        c.limits = c.limits - 1
        draw = mix64(c.limit_turn + (c.limits << 32))
        c.inset = draw >> 63
        number = wrap64(0)
        while number < c.row_count and c.limit == 0:
            c.next = (draw % c.row_count + number) % c.row_count
            number = number + 1
            if is_guard(tables, c, c.next * COMPARISON_ROW) != 0:
                take_target(tables, c)
                c.wanted = 1 - c.wanted
                c.limit = 1
                if off_limit(c, c.left, c.right) == 0:
                    c.limit = 0
        c.next = 0
        if c.limit != 0:
            return wrap64(1)
    return wrap64(0)


def is_guard(tables: FuzzTables, c: Climb, row: u64) -> u64:
    """Return 1 if an inequality of the base shall be driven to its limit now, else 0.

    Both of its outcomes were seen then.
    """
    if kind_at(c.rows, row) == ComparisonKind.EQUAL:
        return wrap64(0)
    at_all = c.where[c.next * WHERE_ROW + WHERE_OUTER]
    if is_split(c.sites, at_all) == 0 or is_dispatch(tables, c, row) != 0:
        return wrap64(0)
    if c.seldom_limits == 0:
        return wrap64(1)
    known = limit_row(c, mark_at(c.rows, row))
    if known == NO_ROW:
        return wrap64(1)
    return is_sought(c.sites, known)


def limit_row(c: Climb, mark: u64) -> u64:
    """Return the row of `sites` that tells what is known of the limit of a guard.

    Another function has other arguments to move it by.

    Args:
        c: the climb.
        mark: of the guard.
    """
    return row_of(c.sites, mix64(mark ^ c.context ^ LIMIT_BITS) | 1)


def end_limit(c: Climb) -> None:
    """Take note whether the guard, if one was driven to its limit, has come nearer."""
    if c.limit == 0 or c.seldom_limits == 0:
        return
    known = limit_row(c, mark_of_key(c.key))
    if c.gained != 0:
        forget_tries(c.sites, known)
    else:
        give_up(c.sites, known, wrap64(1), LIMIT_DOUBLINGS)


def limit_gap(c: Climb) -> u256:
    """Return how far apart the operands shall be."""
    # Those of `a < b` are equal at the limit if it fails, and differ by 1 if it holds.
    return wrap256(c.wanted + c.inset)


def limit_aim(c: Climb) -> u256:
    """Return the difference of the operands, left minus right, that they shall have."""
    less = wrap64(0)
    if c.kind == ComparisonKind.LESS or c.kind == ComparisonKind.SIGNED_LESS:
        less = wrap64(1)
    if less == c.wanted:
        return wrap256(0 - limit_gap(c))
    return limit_gap(c)


def off_limit(c: Climb, left: u256, right: u256) -> u256:
    """Return how far operands are from those at the limit."""
    return gap(distance(c.kind, left, right), limit_gap(c))


def nears_limit(c: Climb, left: u256, right: u256, count: u64) -> u64:
    """Return 1 if a variant comes nearer to the limit and loses nothing, else 0.

    Args:
        c: the climb.
        left: an operand of the guard.
        right: the other one.
        count: how many comparisons the variant made.
    """
    if count < c.compared or holds(c.kind, left, right) != c.wanted:
        return wrap64(0)
    if off_limit(c, left, right) < off_limit(c, c.left, c.right):
        return wrap64(1)
    return wrap64(0)


def is_counted_with(c: Climb) -> u64:
    """Return 1 if the number of the present place can be a little less, else 0."""
    sort = c.places[c.place * PLACE_WORDS + PLACE_SORT]
    if sort <= FIXED or (sort >= AMOUNT and sort <= BLOCKS):
        return wrap64(1)
    return wrap64(0)
