"""Targets: comparisons whose other outcome is sought, the last one first."""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_ROW,
    compares,
    distance,
    holds,
    key_at,
    kind_at,
    left_at,
    mark_of_key,
    ones,
    outcome_at,
    part,
    right_at,
)
from echidna_mcp.fuzz.climbing.places import PLACE_CALL, PLACE_WORDS, list_places
from echidna_mcp.fuzz.climbing.seeing import WHERE_ROW, WHERE_SINGLE, row_of_base
from echidna_mcp.fuzz.climbing.sites import is_open, is_sought, is_unseen
from echidna_mcp.fuzz.climbing.state import (
    ANSWER,
    CHOOSE,
    CREDIT,
    FEEL,
    FLIP,
    MADE,
    MET,
    MISSED,
    Climb,
)
from echidna_mcp.fuzz.layout import FUNCTION_SELECTOR, FUNCTION_WORDS
from echidna_mcp.fuzz.records import call_function
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import u64, u256, wrap64, wrap256


def begin_targets(c: Climb) -> None:
    """Begin with the last comparison of the base."""
    c.next = c.row_count
    c.deep = 0
    c.phase = CHOOSE


def pass_over_targets(c: Climb) -> None:
    """End the search for targets: the base has none."""
    c.next = 0
    c.deep = 1


def choose_target(tables: FuzzTables, c: Climb) -> u64:
    """Make the last comparison that is sought the target; return 0 if there is none.

    First all are answered, which costs little; then places are felt for each.
    """
    while c.next != 0 or c.deep == 0:
        if c.next == 0:
            c.deep = 1
            c.next = c.row_count
        else:
            c.next = c.next - 1
            if is_target(tables, c) != 0:
                take_target(tables, c)
                return 1
    return 0


def is_target(tables: FuzzTables, c: Climb) -> u64:
    """Return 1 if the other outcome of comparison `c.next` shall be sought."""
    if c.where[c.next * WHERE_ROW + WHERE_SINGLE] == 0:
        return 0
    row = c.next * COMPARISON_ROW
    if is_dispatch(tables, c, row) != 0:
        return 0
    if c.deep != 0 and c.failed >= CREDIT:
        return 0
    site = row_of_base(c, c.next)
    if c.deep == 0:
        return is_open(c.sites, site)
    return is_sought(c.sites, site)


def is_dispatch(tables: FuzzTables, c: Climb, row: u64) -> u64:
    """Return 1 if a comparison of the base chooses the function, else 0.

    Nothing in a call decides which one it is for.
    """
    last = c.base_starts[c.calls - 1]
    entry = call_function(c.base, last) * FUNCTION_WORDS
    selector = wrap256(tables.functions[entry + FUNCTION_SELECTOR])
    if c.goal != 0:
        selector = c.goal_selector
    return compares(c.rows, row, selector)


def take_target(tables: FuzzTables, c: Climb) -> None:
    """Make comparison `c.next` the target."""
    row = c.next * COMPARISON_ROW
    c.key = key_at(c.rows, row)
    c.site = row_of_base(c, c.next)
    c.unseen = is_unseen(c.sites, c.site, mark_of_key(c.key))
    c.kind = kind_at(c.rows, row)
    c.left = left_at(c.rows, row)
    c.right = right_at(c.rows, row)
    c.wanted = 1 - outcome_at(c.rows, row)
    c.number = 0
    for before in range(c.next):
        if key_at(c.rows, before * COMPARISON_ROW) == c.key:
            c.number = c.number + 1
    if c.place_count == 0:
        list_all(tables, c)
    c.phase = ANSWER
    if c.deep != 0:
        c.phase = FEEL
    c.place = 0
    c.step = 0
    c.gained = 0
    c.moved = 0
    c.passes = 0
    c.far = 0


def is_met(c: Climb, row: u64, heard: u64) -> u64:
    """Return whether a variant makes the target, and has the outcome that is wanted.

    Args:
        c: the record.
        row: where the target stands in what was heard.
        heard: how many comparisons were.

    Returns:
        `MISSED`, `MADE`, or `MET`.
    """
    if row == heard * COMPARISON_ROW:
        return wrap64(MISSED)
    outcome = holds(c.kind, left_at(c.heard, row), right_at(c.heard, row))
    if c.limit == 0 and outcome == c.wanted:
        return wrap64(MET)
    return wrap64(MADE)


def comes_nearer(c: Climb, left: u256, right: u256, count: u64) -> u64:
    """Return 1 if a variant comes nearer to what is wanted and loses nothing, else 0.

    Args:
        c: the climb.
        left: an operand of the target.
        right: the other one.
        count: how many comparisons the variant made.
    """
    # A test is no chain of guards: where it loops less it compares less.
    if c.goal == 0 and count < c.compared:
        return wrap64(0)
    if c.phase == FLIP:
        if ones(left ^ right) < ones(c.left ^ c.right):
            return 1
        return 0
    if c.goal != 0 and c.by_part != 0:
        if part(c.kind, left, right) < part(c.kind, c.left, c.right):
            return 1
        return 0
    if distance(c.kind, left, right) < distance(c.kind, c.left, c.right):
        return 1
    return 0


def is_of_earlier_call(c: Climb) -> u64:
    """Return 1 if the present place is that of a call before the last one, else 0."""
    if c.places[c.place * PLACE_WORDS + PLACE_CALL] + 1 != c.calls:
        return wrap64(1)
    return wrap64(0)


def list_all(tables: FuzzTables, c: Climb) -> None:
    """List the places of the base: those of the last call first."""
    count = wrap64(0)
    for back in range(c.calls):
        call = c.calls - 1 - back
        at = c.base_starts[call]
        count = list_places(tables, c.base, at, call, c.places, count)
    c.place_count = count
