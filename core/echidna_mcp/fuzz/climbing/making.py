"""Making variants: a window of calls, the base, with another number at one place."""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.lengths import resize
from echidna_mcp.fuzz.climbing.places import (
    LENGTH,
    PLACE_CALL,
    PLACE_SORT,
    read_place,
    write_place,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.climbing.ties import can_be_tied, first_tied, write_tied
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.records import call_length, copy_range
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import FAIL
from echidna_mcp.kernel.language.memory import Bytes, u64, u256, wrap64


def take_window(c: Climb, window: Bytes, start: u64, end: u64) -> None:
    """Make the calls of a window the base."""
    copy_range(window, start, end, c.base, 0)
    calls = wrap64(0)
    at = wrap64(0)
    while at < end - start:
        c.base_starts[calls] = at
        at = at + call_length(c.base, at)
        calls = calls + 1
    c.base_starts[calls] = at
    c.calls = calls
    c.first = calls


def make_variant(tables: FuzzTables, c: Climb, number: u256) -> u64:
    """Write the base with another number at the present place; return 1 if it differs.

    The variant has what has to run: the changed call and all after it, and before it
    those that ran otherwise last.
    """
    changed = c.places[c.row + PLACE_CALL]
    first = least(changed, c.first)
    at = c.base_starts[changed]
    before = read_place(c.places, c.row, c.base, at)
    if number == before:
        return 0
    if can_be_tied(c) != 0:
        return make_tied_variant(tables, c, before, number)
    place = copy_range(c.base, c.base_starts[first], at, c.variant, 0)
    after = c.base_starts[changed + 1]
    if c.places[c.row + PLACE_SORT] == LENGTH:
        end = resize(
            tables.types, c.places, c.row, number, c.base, at, c.variant, place
        )
        if end == FAIL:
            return 0
    else:
        end = copy_range(c.base, at, after, c.variant, place)
        write_place(tables, c.places, c.row, number, c.variant, place)
        if read_place(c.places, c.row, c.variant, place) == before:
            return 0
    stop = c.base_starts[c.calls]
    copy_range(c.base, after, stop, c.variant, end)
    for call in range(first, changed + 1):
        c.variant_starts[call] = c.base_starts[call] - c.base_starts[first]
    for call in range(changed + 1, c.calls + 1):
        c.variant_starts[call] = c.base_starts[call] - after + end
    c.first = first
    return 1


def make_tied_variant(tables: FuzzTables, c: Climb, before: u256, number: u256) -> u64:
    """Do the same where all that is tied to the place changes with it.

    Args:
        tables: the tables.
        c: the climb.
        before: what stands at the place.
        number: what shall.
    """
    changed = c.places[c.row + PLACE_CALL]
    first = least(first_tied(c, before), c.first)
    start = c.base_starts[first]
    copy_range(c.base, start, c.base_starts[c.calls], c.variant, 0)
    for call in range(first, c.calls + 1):
        c.variant_starts[call] = c.base_starts[call] - start
    at = c.variant_starts[changed]
    write_place(tables, c.places, c.row, number, c.variant, at)
    if read_place(c.places, c.row, c.variant, at) == before:
        return 0
    write_tied(tables, c, before, number)
    c.first = first
    return 1
