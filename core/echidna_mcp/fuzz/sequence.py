"""Call sequences: fresh calls mixed with what the corpus has.

Follows Echidna's scheme (append and prepend a changed prefix of a corpus entry, splice,
interleave) without its faults: entries count in full, a sequence is never empty, and
length 1 uses the corpus as well.

The corpus is one buffer of sequences; `entries` holds a pair of words for each, start
and end, oldest first.
"""

from __future__ import annotations

from echidna_mcp.fuzz.calls import mutate_call
from echidna_mcp.fuzz.generate import (
    choose_among,
    choose_function,
    generate_call,
    wants_priority,
)
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.layout import MAX_ARRAY_LENGTH
from echidna_mcp.fuzz.records import call_function, copy_call, count_calls, nth_call
from echidna_mcp.fuzz.rng import below
from echidna_mcp.fuzz.simplify import simplify_call
from echidna_mcp.fuzz.tables import SEQUENCE_MUTATIONS, FuzzTables
from echidna_mcp.kernel.memory import Bytes, Words, u64

CHANGE_NOTHING = 0
CHANGE_SHRINK = 1
CHANGE_MUTATE = 2
CHANGE_EXPAND = 3
CHANGE_SWAP = 4
CHANGE_DELETE = 5
"""What happens to the corpus part; half of an index into `FuzzTables.weights`."""

SEQUENCE_SPLICE = 12
SEQUENCE_INTERLEAVE = 13


def build_sequence(
    tables: FuzzTables,
    rng: Words,
    corpus: Bytes,
    entries: Words,
    entry_count: u64,
    out: Bytes,
) -> u64:
    """Write a new call sequence from byte 0 of `out`; return its end.

    It has 1 to `seq_len` calls. If functions are prioritized, each slot decides anew,
    nine in ten, whether it holds one; a corpus call of the other kind is replaced.

    Args:
        entries: start and end in `corpus` of each sequence, oldest first; later ones
            are chosen more often, in proportion to their rank.
        out: at least `tables.sequence_capacity(seq_len)` bytes.
    """
    if entry_count == 0:
        return append_fresh(tables, rng, tables.seq_len, out, 0)
    choice = weighted(rng, tables.weights, SEQUENCE_MUTATIONS)
    entry = pick_entry(rng, entry_count)
    start = entries[entry * 2]
    known = count_calls(corpus, start, entries[entry * 2 + 1])
    if tables.seq_len == 1:
        call = nth_call(corpus, start, below(rng, known))
        return build_single(tables, rng, choice, corpus, call, out)
    if choice >= SEQUENCE_SPLICE:
        other = pick_entry(rng, entry_count)
        return build_crossed(tables, rng, choice, corpus, entries, entry, other, out)
    count = 1 + below(rng, least(known, tables.seq_len - 1))
    if choice & 1 == 0:
        end = append_changed(
            tables, rng, choice >> 1, corpus, start, count, tables.seq_len, out, 0
        )
        return fill_fresh(tables, rng, out, end)
    before = below(rng, tables.seq_len)
    end = append_fresh(tables, rng, before, out, 0)
    room = tables.seq_len - before
    return append_changed(
        tables, rng, choice >> 1, corpus, start, count, room, out, end
    )


def weighted(rng: Words, weights: Words, count: u64) -> u64:
    """Return an index below `count`, in proportion to `weights`."""
    total = 0
    for index in range(count):
        total = total + weights[index]
    rest = below(rng, total)
    for index in range(count):
        if rest < weights[index]:
            return index
        rest = rest - weights[index]
    return 0


def pick_entry(rng: Words, count: u64) -> u64:
    """Return an index below `count`; index i has weight 2i + 1.

    The larger of two uniform numbers has just that distribution.
    """
    first = below(rng, count)
    second = below(rng, count)
    if first < second:
        return second
    return first


def append_fresh(
    tables: FuzzTables, rng: Words, count: u64, out: Bytes, pos: u64
) -> u64:
    """Write `count` fresh calls at `pos`; return their end."""
    end = pos
    for _ in range(count):
        end = generate_call(tables, rng, choose_function(tables, rng), out, end)
    return end


def fill_fresh(tables: FuzzTables, rng: Words, out: Bytes, pos: u64) -> u64:
    """Fill the sequence that ends at `pos` up to `seq_len`; return its end."""
    return append_fresh(
        tables, rng, tables.seq_len - count_calls(out, 0, pos), out, pos
    )


def append_call(
    tables: FuzzTables,
    rng: Words,
    change: u64,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the corpus call at `at`, changed; a fresh one if priorities demand it."""
    if tables.priority_count != 0:
        wanted = wants_priority(tables, rng)
        if tables.prioritized[call_function(src, at)] != wanted:
            function = choose_among(tables, rng, wanted)
            return generate_call(tables, rng, function, out, pos)
    if change == CHANGE_SHRINK:
        return simplify_call(tables, rng, src, at, out, pos)
    if change == CHANGE_MUTATE:
        return mutate_call(tables, rng, src, at, out, pos)
    return copy_call(src, at, out, pos)


def append_calls(
    tables: FuzzTables,
    rng: Words,
    change: u64,
    src: Bytes,
    at: u64,
    count: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write `count` corpus calls from `at` on, all changed alike; return their end."""
    end = pos
    start = at
    for _ in range(count):
        end = append_call(tables, rng, change, src, start, out, end)
        start = nth_call(src, start, 1)
    return end


def append_changed(
    tables: FuzzTables,
    rng: Words,
    change: u64,
    src: Bytes,
    at: u64,
    count: u64,
    room: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the first `count` calls at `at`, changed, at most `room`, at least one."""
    used = least(count, room)
    if change == CHANGE_MUTATE:
        return append_mutated(tables, rng, src, at, used, out, pos)
    if change == CHANGE_EXPAND:
        return append_expanded(tables, rng, src, at, used, room, out, pos)
    if change == CHANGE_SWAP:
        return append_swapped(tables, rng, src, at, used, out, pos)
    if change == CHANGE_DELETE and used > 1:
        index = below(rng, used)
        end = append_calls(tables, rng, CHANGE_NOTHING, src, at, index, out, pos)
        rest = nth_call(src, at, index + 1)
        return append_calls(
            tables, rng, CHANGE_NOTHING, src, rest, used - index - 1, out, end
        )
    return append_calls(tables, rng, change, src, at, used, out, pos)


def append_mutated(
    tables: FuzzTables,
    rng: Words,
    src: Bytes,
    at: u64,
    count: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write `count` calls, of which one for certain and 1 in 11 others are mutated."""
    chosen = below(rng, count)
    end = pos
    start = at
    for index in range(count):
        change = CHANGE_NOTHING
        if index == chosen or below(rng, 11) == 0:
            change = CHANGE_MUTATE
        end = append_call(tables, rng, change, src, start, out, end)
        start = nth_call(src, start, 1)
    return end


def append_expanded(
    tables: FuzzTables,
    rng: Words,
    src: Bytes,
    at: u64,
    count: u64,
    room: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write `count` calls, one of them several times, at most `room` together."""
    index = below(rng, count)
    times = 1 + below(rng, least(count, MAX_ARRAY_LENGTH))
    times = least(times, room - count)
    end = append_calls(tables, rng, CHANGE_NOTHING, src, at, index, out, pos)
    call = nth_call(src, at, index)
    for _ in range(times):
        end = append_call(tables, rng, CHANGE_NOTHING, src, call, out, end)
    return append_calls(tables, rng, CHANGE_NOTHING, src, call, count - index, out, end)


def append_swapped(
    tables: FuzzTables,
    rng: Words,
    src: Bytes,
    at: u64,
    count: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write `count` calls, two of them exchanged."""
    one = below(rng, count)
    two = below(rng, count)
    low = least(one, two)
    high = one + two - low
    end = pos
    for index in range(count):
        source = index
        if index == low:
            source = high
        elif index == high:
            source = low
        call = nth_call(src, at, source)
        end = append_call(tables, rng, CHANGE_NOTHING, src, call, out, end)
    return end


def build_single(
    tables: FuzzTables, rng: Words, choice: u64, src: Bytes, at: u64, out: Bytes
) -> u64:
    """Write a sequence of one call.

    A corpus call alone, unchanged, would bring nothing, so appending it unchanged means
    a fresh call, and all else but shrinking means mutating it.
    """
    if choice == 0:
        return append_fresh(tables, rng, 1, out, 0)
    if choice >> 1 == CHANGE_SHRINK:
        return append_call(tables, rng, CHANGE_SHRINK, src, at, out, 0)
    return append_call(tables, rng, CHANGE_MUTATE, src, at, out, 0)


def build_crossed(
    tables: FuzzTables,
    rng: Words,
    choice: u64,
    src: Bytes,
    entries: Words,
    entry: u64,
    other: u64,
    out: Bytes,
) -> u64:
    """Write two corpus entries spliced or interleaved, then fresh calls."""
    left = entries[entry * 2]
    right = entries[other * 2]
    lefts = count_calls(src, left, entries[entry * 2 + 1])
    rights = count_calls(src, right, entries[other * 2 + 1])
    take = 1 + below(rng, least(lefts, tables.seq_len - 1))
    if choice == SEQUENCE_SPLICE:
        drop = below(rng, rights)
        end = append_calls(tables, rng, CHANGE_NOTHING, src, left, take, out, 0)
        right = nth_call(src, right, drop)
        most = least(rights - drop, tables.seq_len - take)
        end = append_calls(tables, rng, CHANGE_NOTHING, src, right, most, out, end)
        return fill_fresh(tables, rng, out, end)
    most = least(1 + below(rng, rights), tables.seq_len)
    end = append_woven(tables, rng, src, left, take, right, most, out)
    return fill_fresh(tables, rng, out, end)


def append_woven(
    tables: FuzzTables,
    rng: Words,
    src: Bytes,
    left: u64,
    lefts: u64,
    right: u64,
    rights: u64,
    out: Bytes,
) -> u64:
    """Write calls of two runs in turn, then the rest of the longer, up to `seq_len`."""
    end = 0
    first = left
    second = right
    written = 0
    for index in range(lefts + rights):
        if index < lefts and written < tables.seq_len:
            end = append_call(tables, rng, CHANGE_NOTHING, src, first, out, end)
            first = nth_call(src, first, 1)
            written = written + 1
        if index < rights and written < tables.seq_len:
            end = append_call(tables, rng, CHANGE_NOTHING, src, second, out, end)
            second = nth_call(src, second, 1)
            written = written + 1
    return end
