"""Seeing: note is taken of the outcomes of what climbed calls, and tests, compare.

Most comparisons of a variant are those of its base, one after the other. Where they
stand in the table of `sites` is known then, and need not be looked up again.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_COMPARISONS
from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_KIND,
    COMPARISON_ROW,
    COMPARISON_SITE,
    copy_log,
    mark_at,
    outcome_at,
)
from echidna_mcp.fuzz.climbing.contexts import EVERYWHERE
from echidna_mcp.fuzz.climbing.sites import NO_ROW, is_split, row_of, see
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import Bytes, Words, load64, u64, wrap64

WHERE_OUTER = 0
WHERE_INNER = 1
WHERE_SINGLE = 2
WHERE_ROW = 3
"""Of each comparison: its row of `sites`, the one that it has in its context, and 1 if
only one outcome of that was ever seen, else 0."""
WHERE_WORDS = WHERE_ROW * MOST_COMPARISONS


def look(c: Climb, context: u64, log: Bytes, count: u64) -> None:
    """Take note of the outcomes of what a call has compared that is not climbed."""
    heard = copy_log(log, count, c.heard)
    for number in range(heard):
        at = number * COMPARISON_ROW
        row = row_of(c.sites, mark_at(c.heard, at))
        see_in(c, context, row, wrap64(NO_ROW), outcome_at(c.heard, at))


def see_base(c: Climb) -> None:
    """Take note of the outcomes of what the base compares."""
    single = wrap64(0)
    for number in range(c.row_count):
        at = number * COMPARISON_ROW
        row = row_of(c.sites, mark_at(c.rows, at))
        outcome = outcome_at(c.rows, at)
        inner = see_in(c, c.context, row, wrap64(NO_ROW), outcome)
        single = single | note_where(c.sites, c.where, number, row, inner)
    c.single = single


def see_variant(c: Climb, heard: u64) -> None:
    """Take note of the outcomes of the comparisons that were heard of a variant."""
    single = wrap64(0)
    for number in range(heard):
        at = number * COMPARISON_ROW
        inner = wrap64(NO_ROW)
        if number < c.row_count and is_where_base_has_it(c, at) != 0:
            row = c.where[number * WHERE_ROW + WHERE_OUTER]
            inner = c.where[number * WHERE_ROW + WHERE_INNER]
        else:
            row = row_of(c.sites, mark_at(c.heard, at))
        inner = see_in(c, c.context, row, inner, outcome_at(c.heard, at))
        single = single | note_where(c.sites, c.heard_where, number, row, inner)
    c.heard_single = single


def take_seen(c: Climb, heard: u64) -> None:
    """Let what was seen of a variant be that of the base, which it becomes."""
    for word in range(heard * WHERE_ROW):
        c.where[word] = c.heard_where[word]
    c.single = c.heard_single


@inline
def row_of_base(c: Climb, number: u64) -> u64:
    """Return the row that a comparison of the base has in the context of the call."""
    row = c.where[number * WHERE_ROW + WHERE_OUTER]
    inner = c.where[number * WHERE_ROW + WHERE_INNER]
    # Perhaps its second outcome was seen since.
    if inner == row and c.context != EVERYWHERE and is_split(c.sites, row) != 0:
        return row_of(c.sites, c.sites[row] ^ c.context)
    return inner


@inline
def note_where(sites: Words, where: Words, number: u64, row: u64, inner: u64) -> u64:
    """Note the rows of a comparison; return 1 if one outcome alone was seen, else 0."""
    single = is_single(sites, inner)
    where[number * WHERE_ROW + WHERE_OUTER] = row
    where[number * WHERE_ROW + WHERE_INNER] = inner
    where[number * WHERE_ROW + WHERE_SINGLE] = single
    return single


@inline
def is_where_base_has_it(c: Climb, at: u64) -> u64:
    """Return 1 if the base has the same comparison at the same place, else 0."""
    if load64(c.heard, at + COMPARISON_SITE) != load64(c.rows, at + COMPARISON_SITE):
        return 0
    if load64(c.heard, at + COMPARISON_KIND) != load64(c.rows, at + COMPARISON_KIND):
        return 0
    return 1


@inline
def see_in(c: Climb, context: u64, row: u64, inner: u64, outcome: u64) -> u64:
    """Take note of an outcome of the comparison of a row, and in a context.

    Until both of its outcomes were seen it is the same in all (`sites.row_in`).

    Args:
        c: the climb.
        context: of the call.
        row: of the comparison.
        inner: its row in the context, if that is known; else any other.
        outcome: it.

    Returns:
        The row in the context.
    """
    if row == NO_ROW:
        return row
    see(c.sites, row, outcome, c.seldom_targets)
    if context == EVERYWHERE or is_split(c.sites, row) == 0:
        return row
    found = inner
    if inner == NO_ROW or inner == row:
        found = row_of(c.sites, c.sites[row] ^ context)
    if found != NO_ROW:
        see(c.sites, found, outcome, c.seldom_targets)
    return found


@inline
def is_single(sites: Words, row: u64) -> u64:
    """Return 1 if only one outcome of the comparison of a row was ever seen, else 0."""
    if row == NO_ROW or is_split(sites, row) != 0:
        return 0
    return 1
