"""Ties: numbers that stand in several calls and change in all of them together.

What one call stores under a key another one finds under it: a name that was registered,
an id, a sender. A variant that changes the key in one of them alone meets nothing
there, and what is compared behind it is lost. So in every second climb a number is
*tied* to those of the same kind that are equal to it in other calls of the window.
"""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.places import (
    ADDRESS,
    AMOUNT,
    BLOCKS,
    BYTE,
    LENGTH,
    PLACE_AT,
    PLACE_BITS,
    PLACE_CALL,
    PLACE_SORT,
    PLACE_WORDS,
    TIME,
    changed_at,
    read_place,
    write_place,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.rng import mix64
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import length_at
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import Words, load256, u64, u256, wrap64


def begin_ties(c: Climb) -> None:
    """Decide whether numbers are tied in the climb that begins."""
    c.tied = 0
    if c.tying != 0:
        c.tie_turn = c.tie_turn + 1
        c.tied = mix64(c.tie_turn) >> 63


def can_be_tied(c: Climb) -> u64:
    """Return 1 if the present place is of a kind that is tied to others, else 0."""
    sort = c.places[c.row + PLACE_SORT]
    if c.tied == 0 or sort == LENGTH or sort == AMOUNT or sort == TIME:
        return 0
    if sort == BLOCKS:
        return 0
    return 1


def first_tied(c: Climb, number: u256) -> u64:
    """Return the first call that has something tied to the present place.

    Args:
        c: the climb.
        number: that stands at the place.
    """
    first = c.places[c.row + PLACE_CALL]
    for place in range(c.place_count):
        row = place * PLACE_WORDS
        if c.places[row + PLACE_CALL] < first and is_tied(c, row, number) != 0:
            first = c.places[row + PLACE_CALL]
    return first


def write_tied(tables: FuzzTables, c: Climb, before: u256, number: u256) -> None:
    """Write a number to all of the variant that is tied to the present place.

    Args:
        tables: the tables.
        c: the climb; the variant has the calls of the base from `c.first` on.
        before: what stands there in the base.
        number: what shall.
    """
    for place in range(c.place_count):
        row = place * PLACE_WORDS
        if is_tied(c, row, before) != 0:
            at = changed_at(c, row)
            write_place(tables, c.places, row, number, c.variant, at)


def is_tied(c: Climb, row: u64, number: u256) -> u64:
    """Return 1 if the place of a row is tied to the present one, else 0.

    Of two calls, that is: numbers of a call that are equal are so by chance. So are
    those that are 0, but for addresses. Bytes are tied if all around them is equal.

    Args:
        c: the climb.
        row: of the other place, in `c.places`.
        number: what stands at the present place in the base.
    """
    places = c.places
    call = places[row + PLACE_CALL]
    sort = places[row + PLACE_SORT]
    if call == places[c.row + PLACE_CALL] or sort != places[c.row + PLACE_SORT]:
        return 0
    if places[row + PLACE_BITS] != places[c.row + PLACE_BITS]:
        return 0
    if read_place(places, row, c.base, c.base_starts[call]) != number:
        return 0
    if sort == BYTE:
        return is_same_text(c, row)
    if number == 0 and sort != ADDRESS:
        return 0
    return 1


def is_same_text(c: Climb, row: u64) -> u64:
    """Return 1 if a byte stands where the present one does, in a text that is equal."""
    own = length_row(c.places, c.row)
    other = length_row(c.places, row)
    if c.row - own != row - other:
        return 0
    here = position(c, own)
    there = position(c, other)
    if length_at(c.base, here) != length_at(c.base, there):
        return 0
    # Longer ones that begin alike are as good as equal.
    if load256(c.base, here + 32) != load256(c.base, there + 32):
        return 0
    return 1


@inline
def position(c: Climb, row: u64) -> u64:
    """Return where a place stands in the base."""
    return c.base_starts[c.places[row + PLACE_CALL]] + c.places[row + PLACE_AT]


def length_row(places: Words, row: u64) -> u64:
    """Return the row of the length of the text that the byte of a row belongs to."""
    found = row
    while places[found + PLACE_SORT] == BYTE:
        found = found - PLACE_WORDS
    return wrap64(found)
