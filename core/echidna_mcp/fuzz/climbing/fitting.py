"""Fitting: a call that failed at a guard is made to hold it.

A guard that was seen to hold and to fail is no target any more. But what it asks for
may be another thing in each state: the price of now, a little more than the last bid,
all that is left; or at each turn of a loop. So when nothing else of a call is sought
that has failed, the comparison that it made last is *fitted*: by what stands in the
call itself it is answered, and felt for now and then, which counts as a target if it is
in vain. If the call gets further, so is the one at which it fails then.

What has to happen exactly so several times in a row needs more of that than one
sequence in eight, so some are climbed for it alone (`choosing`).
"""

from __future__ import annotations

from echidna_mcp.evm.backend import ComparisonKind
from echidna_mcp.fuzz.climbing.comparisons import COMPARISON_ROW, is_against_0
from echidna_mcp.fuzz.climbing.seeing import row_of_base
from echidna_mcp.fuzz.climbing.sites import is_split
from echidna_mcp.fuzz.climbing.state import ANSWER, FEEL, MADE, MET, MISSED, Climb
from echidna_mcp.fuzz.climbing.targets import is_dispatch, take_target
from echidna_mcp.fuzz.rng import mix64
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import MASK64, u64, u256, wrap64, wrap256

FELT = 16
"""In one climb of so many guards are felt for, too."""
MOST_FAILED = 2
"""No more are when so many targets of the sequence were sought in vain."""
MOST_FITS = 64
"""Guards of one call that are made to hold."""
UNTRIED = 0
ANSWERED = 1
DONE = 2
"""What was tried with the guard at which the base fails."""


def begin_fitting(c: Climb) -> None:
    """Decide how guards are fitted in this climb."""
    c.fits = 0
    c.fitted = DONE
    if c.fitting != 0:
        c.fitted = UNTRIED
        c.fit_turn = c.fit_turn + 1


def can_be_fitted(c: Climb) -> u64:
    """Return 1 if the base failed at a guard that was seen to hold, else 0."""
    if c.fitted == DONE or c.succeeded != 0 or c.row_count == 0:
        return wrap64(0)
    return is_split(c.sites, row_of_base(c, c.row_count - 1))


def choose_fit(tables: FuzzTables, c: Climb) -> u64:
    """Make the guard at which the base failed the target; return 0 if none is left."""
    if can_be_fitted(c) == 0 or c.fits == MOST_FITS:
        return wrap64(0)
    if is_dispatch(tables, c, (c.row_count - 1) * COMPARISON_ROW) != 0:
        return wrap64(0)
    felt = c.fitted
    c.fitted = felt + 1
    draw = mix64(c.fit_turn) % FELT
    if felt == ANSWERED and (draw != 0 or c.failed >= MOST_FAILED):
        return wrap64(0)
    c.next = c.row_count - 1
    take_target(tables, c)
    c.next = 0
    c.fit = 1
    c.phase = ANSWER
    if felt == ANSWERED:
        c.phase = FEEL
    return wrap64(1)


def is_fit(c: Climb, met: u64, count: u64, succeeded: u64) -> u64:
    """Return `MET` if a variant without the base's outcome fails later, or not at all.

    Also one that does not make the comparison: an ISZERO of a number is none if the
    number is 0, or 1. What holds the guard and fails there anyway has missed it.

    Args:
        c: the climb.
        met: what `targets.is_met` says of the variant.
        count: how many comparisons it made.
        succeeded: 1 unless it failed.
    """
    if met == MADE or count == 0:
        return met
    reached = count
    against_0 = is_against_0(c.kind, c.left, c.right)
    if met == MISSED and against_0 != 0:
        reached = count + 1
    if succeeded == 0 and reached <= c.compared:
        return wrap64(MISSED)
    c.fits = c.fits + 1
    c.fitted = UNTRIED
    return wrap64(MET)


def fitting_answer(c: Climb, operand: u256, is_left: u64) -> u256:
    """Return what is tried first in the place of an operand.

    That is the other operand; or in every second climb, if the guard is an inequality
    of numbers without sign, one that holds it and may be far off.

    Args:
        c: the climb.
        operand: the other one.
        is_left: 1 if it shall stand on the left.
    """
    less = wrap64(0)
    if c.kind == ComparisonKind.LESS:
        less = wrap64(1)
    elif c.kind != ComparisonKind.GREATER:
        return operand
    if c.fit_turn & 1 == 0:
        return operand
    share = wrap256(mix64(c.fit_turn ^ (c.spent << 32)))
    some = (operand >> 64) * share + ((operand & MASK64) * share >> 64)
    if less ^ c.wanted ^ is_left != 0:
        return some
    return wrap256(operand + some)
