"""Repairs: what one change breaks, a second one in the same variant mends.

Weights add up to the whole, what is paid is a number times a price, an order ends with
the exclusive or of its bytes. Each other condition behind such an equation is out of
reach while the equation holds, since a variant changes one number. So when a variant
misses the target because an equation of the base does not hold any more, by which it is
off goes to another place of the call that is climbed: it is added there, taken away, or
mixed in bit by bit. If that breaks another equation, that one is mended next. Where it
helps is known for the rest of the climb. Equations that nothing mends are tried ever
more seldom, as comparisons are that are sought in vain.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_COMPARISONS, ComparisonKind
from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_ROW,
    kind_at,
    left_at,
    mark_at,
    outcome_at,
    right_at,
)
from echidna_mcp.fuzz.climbing.places import (
    ADDRESS,
    BLOCKS,
    LENGTH,
    PLACE_CALL,
    PLACE_SORT,
    PLACE_WORDS,
    SENDER,
    TIME,
    changed_at,
    read_place,
    write_place,
)
from echidna_mcp.fuzz.climbing.proposals import is_spent
from echidna_mcp.fuzz.climbing.sites import (
    forget_tries,
    give_up,
    is_sought,
    row_of,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.rng import mix64
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import u64, u256, wrap64, wrap256

MIXED = 0
ADDED = 1
TAKEN = 2
WAYS = 3
"""How what an equation is off by goes to a place: the gap is added, subtracted, or its
bits are changed."""
REPAIR_WORDS = 2
MOST_REPAIRS = 8
"""Equations of a climb of which it is known what mends them."""
MOST_MENDED = 3
"""Equations that are mended in one variant."""
MOST_MENDING = 32
"""Places of which it is tried: the last ones of the call that is climbed."""
REPAIR_DOUBLINGS = 5
"""What is in vain now may help at other numbers, from which more can be taken."""
REPAIR_BITS = 0x5EBA12
"""Tells the mark of a repair from that of its comparison."""


def forget_repairs(c: Climb) -> None:
    """Forget what mends equations: the places are other ones."""
    c.mending = 0
    c.repair_count = 0


def repair_mark(mark: u64) -> u64:
    """Return under which mark it is known how often an equation was mended in vain."""
    return mix64(mark ^ REPAIR_BITS) | 1


def begin_repair(c: Climb, heard: u64, count: u64) -> u64:
    """Begin to mend what the variant has broken; return 1 if that may be possible.

    Args:
        c: the climb; the variant has missed the target.
        heard: comparisons of the variant that are kept.
        count: how many it has made.
    """
    if c.repairing == 0 or c.limit != 0 or c.goal != 0 or c.mended == MOST_MENDED:
        return 0
    if is_spent(c) != 0 or is_counted(c, c.row) == 0:
        return 0
    if count > MOST_COMPARISONS or c.compared > MOST_COMPARISONS:
        return 0
    row = first_broken(c, heard)
    if row == heard * COMPARISON_ROW:
        return 0
    c.broken = row
    c.gap = wrap256(left_at(c.heard, row) - right_at(c.heard, row))
    c.differing = left_at(c.heard, row) ^ right_at(c.heard, row)
    c.mended_row = c.row
    known = known_repair(c, mark_at(c.heard, row))
    if known != 0:
        c.known_repair = known
        c.mending = wrap64(1 + WAYS)
        return 1
    mark = repair_mark(mark_at(c.heard, row))
    if is_sought(c.sites, row_of(c.sites, mark)) == 0:
        return 0
    c.known_repair = 0
    last = places_of_last(c)
    tried = least(last, MOST_MENDING)
    c.lowest = (last - tried) * WAYS
    c.mending = 1 + tried * WAYS
    return 1


def places_of_last(c: Climb) -> u64:
    """Return how many places the call has that is climbed: they are listed first."""
    count = wrap64(0)
    while count < c.place_count:
        if c.places[count * PLACE_WORDS + PLACE_CALL] + 1 != c.calls:
            return count
        count = count + 1
    return count


def first_broken(c: Climb, heard: u64) -> u64:
    """Return where the first outcome is another than in the base, of an equation.

    It is the end of what was heard if it is no equation, or none that held.
    """
    end = heard * COMPARISON_ROW
    for number in range(least(heard, c.row_count)):
        row = number * COMPARISON_ROW
        if mark_at(c.heard, row) != mark_at(c.rows, row):
            return end
        before = outcome_at(c.rows, row)
        if outcome_at(c.heard, row) != before:
            if before != 0 and kind_at(c.heard, row) == ComparisonKind.EQUAL:
                return row
            return end
    return end


def known_repair(c: Climb, mark: u64) -> u64:
    """Return 1 + the number of what mends an equation, 0 if that is not known.

    What changes the variant's own place does not count.
    """
    for number in range(c.repair_count):
        way = c.repairs[number * REPAIR_WORDS + 1]
        if c.repairs[number * REPAIR_WORDS] == mark and row_of_way(way) != c.row:
            return way + 1
    return wrap64(0)


def other_way(way: u64, number: u64) -> u64:
    """Return a way in which the place of another may change; the same one for 0.

    Which of them it is shows only with some gaps: to add 1 may be to flip a bit.
    """
    return way - way % WAYS + (way + number) % WAYS


def row_of_way(way: u64) -> u64:
    """Return the row of the place that a way changes."""
    return way // WAYS * PLACE_WORDS


def is_counted(c: Climb, row: u64) -> u64:
    """Return 1 if the place of a row has a number that may mend, or be mended for."""
    sort = c.places[row + PLACE_SORT]
    if sort == ADDRESS or sort == SENDER or sort == LENGTH:
        return 0
    if sort == TIME or sort == BLOCKS:
        return 0
    return 1


def make_repaired(c: Climb, tables: FuzzTables) -> u64:
    """Change the variant at another place, too; return 0 if there is no way left."""
    take_back_repair(c, tables)
    while c.mending > 1 and is_spent(c) == 0:
        c.mending = c.mending - 1
        # The wei and what stands last come first: sums and checksums do.
        chosen = c.lowest + c.mending - 1
        if c.known_repair != 0:
            chosen = other_way(c.known_repair - 1, WAYS - c.mending)
        if change_place(c, tables, chosen) != 0:
            c.repair = chosen
            return 1
    tried = 1 - is_spent(c)
    c.mending = 0
    if c.known_repair == 0 and tried != 0:
        mark = repair_mark(mark_at(c.rows, c.broken))
        give_up(c.sites, row_of(c.sites, mark), wrap64(1), REPAIR_DOUBLINGS)
    return 0


def change_place(c: Climb, tables: FuzzTables, chosen: u64) -> u64:
    """Change the variant in one way; return 1 if it differs then."""
    row = row_of_way(chosen)
    if row == c.row or is_counted(c, row) == 0:
        return 0
    own = changed_at(c, c.row)
    proposed = read_place(c.places, c.row, c.variant, own)
    at = changed_at(c, row)
    before = read_place(c.places, row, c.variant, at)
    write_place(tables, c.places, row, repaired(c, before, chosen), c.variant, at)
    if read_place(c.places, row, c.variant, at) == before:
        return 0
    if read_place(c.places, c.row, c.variant, own) != proposed:
        # A word and a byte of it: that would take back the change itself.
        write_place(tables, c.places, row, before, c.variant, at)
        return 0
    c.mended_row = row
    c.unmended = before
    return 1


def repaired(c: Climb, number: u256, chosen: u64) -> u256:
    """Return what a number becomes by a way."""
    way = chosen % WAYS
    if way == ADDED:
        return wrap256(number + c.gap)
    if way == TAKEN:
        return wrap256(number - c.gap)
    return number ^ c.differing


def take_back_repair(c: Climb, tables: FuzzTables) -> None:
    """Take back the last way that was tried with the variant, if there was one."""
    if c.mended_row != c.row:
        at = changed_at(c, c.mended_row)
        write_place(tables, c.places, c.mended_row, c.unmended, c.variant, at)
        c.mended_row = c.row


def is_mended(c: Climb, heard: u64) -> u64:
    """Return 1 if the equation holds again in what was heard; that is remembered."""
    if c.broken >= heard * COMPARISON_ROW:
        return 0
    mark = mark_at(c.rows, c.broken)
    if mark_at(c.heard, c.broken) != mark or outcome_at(c.heard, c.broken) == 0:
        return 0
    c.mending = 0
    c.mended = c.mended + 1
    if c.known_repair == 0:
        forget_tries(c.sites, row_of(c.sites, repair_mark(mark)))
    if c.known_repair == 0 and c.repair_count < MOST_REPAIRS:
        c.repairs[c.repair_count * REPAIR_WORDS] = mark
        c.repairs[c.repair_count * REPAIR_WORDS + 1] = c.repair
        c.repair_count = c.repair_count + 1
    return 1
