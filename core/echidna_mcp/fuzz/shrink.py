"""Systematic shrinking of call sequences, without chance.

`shrink_candidate` numbers the simpler forms of a sequence, the most useful first. A
campaign tries number 0, 1, 2, ...; when a candidate still fails it becomes the sequence
and the count goes on from the same number; at `NO_MORE` it starts again. A sequence of
which a full pass accepts nothing is minimal: no call can be left out, no number made
smaller by 1, no byte or element taken away, and nothing of the kind with two things at
once (`fuzz.couples`).

Every candidate is strictly simpler: it has fewer calls; or as many, and arguments that
are simpler (see `fuzz.shrink_value`), or smaller delays, values or ranks of senders, or
no override or a simpler one, and nothing else is changed. Where a sender is renamed
(`fuzz.rename`), its rank and arguments become smaller together. There is no endless
descent, so this ends.
"""

from __future__ import annotations

from echidna_mcp.fuzz.couples import couple_candidate
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.ladders.chunks import (
    SIZE_BITS,
    SIZE_MASK,
    chunk_at,
    chunk_slots,
)
from echidna_mcp.fuzz.layout import CALL_HEADER
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_length,
    call_sender,
    call_time_delay,
    call_value,
    copy_call,
    copy_range,
    count_calls,
    nth_call,
    override_after,
    override_length,
    plain_length,
    seal_call,
    set_call_delays,
    set_call_length,
    set_call_sender,
    set_call_value,
    set_override_after,
)
from echidna_mcp.fuzz.rename import argument_node, rename_sender, rename_slots
from echidna_mcp.fuzz.shrink_value import (
    NO_MORE,
    UNCHANGED,
    number_at,
    number_slots,
    sender_rank,
    shrink_value,
    value_slots,
)
from echidna_mcp.fuzz.tables import MAX_DELAY, FuzzTables
from echidna_mcp.kernel.language.memory import (
    Bytes,
    load256,
    u64,
    u256,
    wrap64,
    wrap256,
)

ALL_DELAYS = 0
ALL_VALUES = 1
ALL_SENDERS = 2
ALL_SLOTS = 3
"""Candidates that change every call at once."""


def shrink_candidate(
    tables: FuzzTables, src: Bytes, src_end: u64, index: u64, out: Bytes
) -> u64:
    """Write candidate `index` of the sequence from byte 0 to `src_end` of `src`.

    In order: chunks of calls taken away; one call taken away, its delays added to the
    next; all delays zero; all values zero; all senders the first; no overrides, if
    there are any; each sender renamed, in arguments as well; then call by call: both
    delays zero, value, sender, each delay, each argument, and the override: none, how
    many calls it passes over, each argument; at last, if the tables say so, what
    changes several things together (`fuzz.couples`).

    Returns:
        The end of the candidate in `out`, which starts at byte 0; `UNCHANGED` if there
        is nothing to try at this number; `NO_MORE` if there is none from here on.
    """
    count = count_calls(src, 0, src_end)
    if count == 0:
        return NO_MORE
    rest = index
    if rest < chunk_slots(count):
        chunk = chunk_at(count, rest)
        first = nth_call(src, 0, chunk >> SIZE_BITS)
        resume = nth_call(src, first, chunk & SIZE_MASK)
        end = copy_range(src, 0, first, out, 0)
        return copy_range(src, resume, src_end, out, end)
    rest = rest - chunk_slots(count)
    if rest < count - 1:
        return merge_call(src, src_end, nth_call(src, 0, rest), out)
    rest = rest - (count - 1)
    if rest < ALL_SLOTS:
        return simplify_all(tables, src, src_end, rest, out)
    rest = rest - ALL_SLOTS
    if has_overrides(src, src_end) != 0:
        if rest == 0:
            return without_overrides(src, src_end, out)
        rest = rest - 1
    at = 0
    while at < src_end:
        slots = rename_slots(tables, src, at)
        if rest < slots:
            end = copy_range(src, 0, src_end, out, 0)
            new = load256(tables.senders, rest * 32)
            rename_sender(tables, out, end, call_sender(src, at), new)
            return end
        rest = rest - slots
        at = at + call_length(src, at)
    return shrink_each(tables, src, src_end, rest, out)


def shrink_each(
    tables: FuzzTables, src: Bytes, src_end: u64, index: u64, out: Bytes
) -> u64:
    """Write candidate `index` of those that change one call, then of several."""
    rest = index
    at = 0
    while at < src_end:
        slots = call_slots(tables, src, at)
        if rest < slots:
            return shrink_one(tables, src, src_end, at, rest, out)
        rest = rest - slots
        at = at + call_length(src, at)
    if tables.coupled != 0:
        return couple_candidate(tables, src, src_end, rest, out)
    return NO_MORE


def merge_call(src: Bytes, src_end: u64, at: u64, out: Bytes) -> u64:
    """Write the sequence without the call at `at`, its delays added to the next."""
    seconds = call_time_delay(src, at)
    blocks = call_block_delay(src, at)
    if seconds == 0 and blocks == 0:
        return UNCHANGED
    after = at + call_length(src, at)
    end = copy_range(src, 0, at, out, 0)
    seconds = least(seconds + call_time_delay(src, after), MAX_DELAY)
    blocks = least(blocks + call_block_delay(src, after), MAX_DELAY)
    stop = copy_range(src, after, src_end, out, end)
    set_call_delays(out, end, seconds, blocks)
    return stop


def simplify_all(
    tables: FuzzTables, src: Bytes, src_end: u64, what: u64, out: Bytes
) -> u64:
    """Write the sequence with all delays or values zero, or all senders the first."""
    first = load256(tables.senders, 0)
    end = copy_range(src, 0, src_end, out, 0)
    changed = 0
    at = 0
    while at < src_end:
        if what == ALL_DELAYS:
            if call_time_delay(src, at) != 0 or call_block_delay(src, at) != 0:
                changed = changed + 1
            set_call_delays(out, at, 0, 0)
        elif what == ALL_VALUES:
            if call_value(src, at) != 0:
                changed = changed + 1
            set_call_value(out, at, wrap256(0))
        else:
            if call_sender(src, at) != first:
                changed = changed + 1
            set_call_sender(out, at, first)
        at = at + call_length(src, at)
    if changed == 0:
        return UNCHANGED
    return end


def has_overrides(src: Bytes, src_end: u64) -> u64:
    """Return 1 if a call of the sequence has an override, else 0."""
    at = 0
    while at < src_end:
        if override_length(src, at) != 0:
            return 1
        at = at + call_length(src, at)
    return 0


def without_overrides(src: Bytes, src_end: u64, out: Bytes) -> u64:
    """Write the sequence without overrides."""
    end = 0
    at = 0
    while at < src_end:
        end = copy_plain(src, at, out, end)
        at = at + call_length(src, at)
    return end


def copy_plain(src: Bytes, at: u64, out: Bytes, pos: u64) -> u64:
    """Copy the record at `at` to `pos` without its override; return its end."""
    length = plain_length(src, at)
    end = copy_range(src, at, at + length, out, pos)
    set_call_length(out, pos, length, 0)
    return end


def call_slots(tables: FuzzTables, src: Bytes, at: u64) -> u64:
    """Return the number of candidates for the record at `at`."""
    return plain_slots(tables, src, at) + override_slots(tables, src, at)


def plain_slots(tables: FuzzTables, src: Bytes, at: u64) -> u64:
    """Return the number of candidates for header and arguments of the record."""
    return header_slots(tables, src, at) + value_slots(
        tables, argument_node(tables, src, at), src, at + CALL_HEADER
    )


def override_slots(tables: FuzzTables, src: Bytes, at: u64) -> u64:
    """Return the number of candidates for the override of the record at `at`."""
    if override_length(src, at) == 0:
        return 0
    place = at + plain_length(src, at)
    node = argument_node(tables, src, place)
    return (
        1
        + number_slots(tables, wrap256(override_after(src, place)))
        + value_slots(tables, node, src, place + CALL_HEADER)
    )


def header_slots(tables: FuzzTables, src: Bytes, at: u64) -> u64:
    """Return the number of candidates for the header of the record at `at`."""
    return (
        1
        + number_slots(tables, call_value(src, at))
        + sender_rank(tables, call_sender(src, at))
        + number_slots(tables, wrap256(call_time_delay(src, at)))
        + number_slots(tables, wrap256(call_block_delay(src, at)))
    )


def shrink_one(
    tables: FuzzTables, src: Bytes, src_end: u64, at: u64, slot: u64, out: Bytes
) -> u64:
    """Write the sequence with candidate `slot` of the call at `at` in its place."""
    after = at + call_length(src, at)
    end = copy_range(src, 0, at, out, 0)
    slots = header_slots(tables, src, at)
    if slot < slots:
        stop = copy_call(src, at, out, end)
        if shrink_header(tables, src, at, slot, out) == UNCHANGED:
            return UNCHANGED
        return copy_range(src, after, src_end, out, stop)
    if slot >= plain_slots(tables, src, at):
        rest = slot - plain_slots(tables, src, at)
        stop = shrink_override(tables, src, at, rest, out)
    else:
        start = at + CALL_HEADER
        stop = copy_range(src, at, start, out, end)
        node = argument_node(tables, src, at)
        stop = shrink_value(tables, node, src, start, slot - slots, out, stop)
        if stop != UNCHANGED:
            stop = seal_call(src, at, out, at, stop)
    if stop == UNCHANGED:
        return UNCHANGED
    return copy_range(src, after, src_end, out, stop)


def shrink_override(
    tables: FuzzTables, src: Bytes, at: u64, slot: u64, out: Bytes
) -> u64:
    """Write the record at `at` to the same place, with a candidate of its override.

    Returns:
        Its end, or `UNCHANGED`.
    """
    end = copy_plain(src, at, out, at)
    if slot == 0:
        return end
    rest = slot - 1
    place = at + plain_length(src, at)
    after = wrap256(override_after(src, place))
    if rest < number_slots(tables, after):
        stop = copy_range(src, place, at + call_length(src, at), out, end)
        fewer = number_at(tables, after, rest)
        if fewer == after:
            return UNCHANGED
        set_override_after(out, end, wrap64(fewer))
    else:
        start = place + CALL_HEADER
        stop = copy_range(src, place, start, out, end)
        node = argument_node(tables, src, place)
        rest = rest - number_slots(tables, after)
        stop = shrink_value(tables, node, src, start, rest, out, stop)
        if stop == UNCHANGED:
            return UNCHANGED
    set_call_length(out, end, stop - end, 0)
    set_call_length(out, at, stop - at, stop - end)
    return stop


def shrink_header(
    tables: FuzzTables, src: Bytes, at: u64, slot: u64, out: Bytes
) -> u64:
    """Change the header of the copy at `at` in `out`; 0 or `UNCHANGED`."""
    seconds = call_time_delay(src, at)
    blocks = call_block_delay(src, at)
    rest = slot
    if rest == 0:
        if seconds == 0 and blocks == 0:
            return UNCHANGED
        set_call_delays(out, at, 0, 0)
        return 0
    rest = rest - 1
    value = call_value(src, at)
    if rest < number_slots(tables, value):
        simpler = number_at(tables, value, rest)
        set_call_value(out, at, simpler)
        return changed_or_not(value, simpler)
    rest = rest - number_slots(tables, value)
    rank = sender_rank(tables, call_sender(src, at))
    if rest < rank:
        set_call_sender(out, at, load256(tables.senders, rest * 32))
        return 0
    rest = rest - rank
    if rest < number_slots(tables, wrap256(seconds)):
        shorter = shrink_delay(tables, seconds, rest)
        set_call_delays(out, at, shorter, blocks)
        return changed_or_not(wrap256(seconds), wrap256(shorter))
    rest = rest - number_slots(tables, wrap256(seconds))
    shorter = shrink_delay(tables, blocks, rest)
    set_call_delays(out, at, seconds, shorter)
    return changed_or_not(wrap256(blocks), wrap256(shorter))


def changed_or_not(before: u256, after: u256) -> u64:
    """Return 0, or `UNCHANGED` if two numbers are equal."""
    if before == after:
        return UNCHANGED
    return 0


def shrink_delay(tables: FuzzTables, delay: u64, slot: u64) -> u64:
    """Return candidate `slot` of a delay."""
    return wrap64(number_at(tables, wrap256(delay), slot))
