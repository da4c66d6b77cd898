"""What has fallen: comparisons to which climbing has given an outcome first.

A comparison *falls* when a variant gives it the outcome that was wanted of it and that
nothing had shown before: not in this task, which is why it was a target, and in none
before, as far as that is known. Known is what climbing has reached, and what was found
after it was sought in vain (`sites.FOUND`); of what came by itself in another task
nothing is. What is another comparison only in calls of one function (`contexts`), and
guards and limits, which were seen both ways, are not meant.

A task tells of `MOST_TOLD`, the first ones, each with the number that the variant has
at the place that was changed. What it does not tell falls again in another one.
"""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.comparisons import copy_log, find, mark_of_key
from echidna_mcp.fuzz.climbing.places import (
    BLOCKS,
    BYTE,
    PLACE_AT,
    PLACE_SORT,
    SENDER,
    TIME,
    changed_at,
    read_place,
)
from echidna_mcp.fuzz.climbing.state import MET, Climb
from echidna_mcp.fuzz.climbing.targets import is_met
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    load256,
    poke256,
    store64,
    u64,
    u256,
)

MARKS = 4096
"""Rows of the table of marks."""
NEAR = 32
"""Rows that are looked at for a mark."""
MOST_TOLD = 64
FALLEN_KEY = 0
"""u64: what the mark is made of (`comparisons.key_of`)."""
FALLEN_HOLDS = 8
"""u64: the outcome."""
FALLEN_WORD = 16
"""u256, little-endian."""
FALLEN_ROW = 48


def know_fallen(table: Words, marks: Words, count: u64) -> None:
    """Write the marks of what has fallen before into an empty table."""
    for number in range(count):
        take_mark(table, marks[number])


def take_mark(table: Words, mark: u64) -> u64:
    """Take a mark into a table; return 0 if it is there, or there is no room."""
    place = mark >> 8
    for near in range(NEAR):
        row = (place + near) % MARKS
        if table[row] == mark:
            return 0
        if table[row] == 0:
            table[row] = mark
            return 1
    return 0


def note_fallen(c: Climb) -> None:
    """Take note that the target has the outcome that is wanted, in the variant."""
    if c.unseen == 0 or c.fit != 0 or c.fallen_count == MOST_TOLD:
        return
    if take_mark(c.fallen_marks, mark_of_key(c.key)) == 0:
        return
    row = c.fallen_count * FALLEN_ROW
    c.fallen_count = c.fallen_count + 1
    store64(c.fallen, row + FALLEN_KEY, c.key)
    store64(c.fallen, row + FALLEN_HOLDS, c.wanted)
    poke256(c.fallen, row + FALLEN_WORD, changed_word(c))


def note_shown(c: Climb, log: Bytes, count: u64) -> None:
    """Do so if a variant that shows something has it: nobody judges that any more.

    Args:
        c: the climb.
        log: the comparison log of the variant's last call.
        count: how many comparisons that made.
    """
    heard = copy_log(log, count, c.heard)
    row = find(c.heard, heard, c.key, c.number)
    if is_met(c, row, heard) == MET:
        note_fallen(c)


def changed_word(c: Climb) -> u256:
    """Return what the variant has at the place that was changed, as calldata has it."""
    at = changed_at(c, c.row)
    sort = c.places[c.row + PLACE_SORT]
    if sort == BYTE or sort == TIME or sort == BLOCKS or sort == SENDER:
        return read_place(c.places, c.row, c.variant, at)
    return load256(c.variant, at + c.places[c.row + PLACE_AT])
