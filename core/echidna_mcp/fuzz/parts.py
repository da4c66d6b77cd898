"""Parts of a sequence: fresh calls, and calls of the corpus, as they are or changed."""

from __future__ import annotations

from echidna_mcp.fuzz.echoes import generate_next
from echidna_mcp.fuzz.generate import choose_among, choose_function, wants_priority
from echidna_mcp.fuzz.harvest import mark_leaves
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.layout import FUNCTION_NODE, FUNCTION_WORDS, MAX_ARRAY_LENGTH
from echidna_mcp.fuzz.mutate_call import mutate_call
from echidna_mcp.fuzz.records import (
    call_function,
    call_length,
    call_sender,
    copy_call,
    count_calls,
    nth_call,
    set_call_sender,
)
from echidna_mcp.fuzz.rng import below, pick_later
from echidna_mcp.fuzz.simplify import simplify_call
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import Bytes, Words, u64, wrap64

REPEATS = 16
"""One fresh call in so many is one of those before, if echoes are wanted."""

MOST_REPEATED = 4
"""Calls that are repeated together."""
DOUBLINGS = 6
"""They are there up to two to the power of that more often."""

CHANGE_NOTHING = 0
CHANGE_SHRINK = 1
CHANGE_MUTATE = 2
CHANGE_EXPAND = 3
CHANGE_SWAP = 4
CHANGE_DELETE = 5
"""What happens to the corpus part; half of an index into `FuzzTables.weights`."""


def append_fresh(
    tables: FuzzTables, rng: Words, count: u64, out: Bytes, pos: u64
) -> u64:
    """Write `count` fresh calls at `pos`; return their end."""
    end = pos
    known = note_starts(tables, out, pos)
    for _ in range(count):
        tables.starts[known] = end
        end = append_next(tables, rng, known, out, end)
        known = known + 1
    return end


def note_starts(tables: FuzzTables, out: Bytes, stop: u64) -> u64:
    """Note where the calls before `stop` begin; return how many there are."""
    known = wrap64(0)
    at = wrap64(0)
    while at < stop:
        tables.starts[known] = at
        at = at + call_length(out, at)
        known = known + 1
    return known


def append_next(
    tables: FuzzTables, rng: Words, known: u64, out: Bytes, pos: u64
) -> u64:
    """Write a fresh call at `pos`, or at times one of the `known` ones before it.

    Returns:
        Its end.
    """
    if tables.echoes != 0 and known != 0 and tables.priority_count == 0:
        end = repeat_call(tables, rng, known, out, pos)
        if end != pos:
            return end
    function = choose_function(tables, rng)
    end = generate_next(tables, rng, function, known, out, pos)
    if tables.harvest != 0:
        node = tables.functions[function * FUNCTION_WORDS + FUNCTION_NODE]
        mark_leaves(tables.types, node, rng, out, pos)
    return end


def repeat_call(
    tables: FuzzTables, rng: Words, known: u64, out: Bytes, pos: u64
) -> u64:
    """Write one of the `known` calls before `pos` once more, one time in `REPEATS`.

    It has one thing changed, three times in four: what was put in is taken out again,
    less of it or all.

    Returns:
        Its end; `pos` if nothing is repeated.
    """
    if below(rng, REPEATS) != 0:
        return pos
    earlier = tables.starts[pick_later(rng, known)]
    if below(rng, 4) == 0:
        end = copy_call(out, earlier, out, pos)
    else:
        end = mutate_call(tables, rng, out, earlier, out, pos)
    # Without the marks of its leaves, which may be elsewhere now.
    set_call_sender(out, pos, call_sender(out, pos))
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
            known = note_starts(tables, out, pos)
            return generate_next(tables, rng, function, known, out, pos)
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


def append_repeated(
    tables: FuzzTables, rng: Words, room: u64, out: Bytes, pos: u64
) -> u64:
    """Write the last one to four calls before `pos` again, many times.

    Few times are as likely as many: the most is a power of two. There are no more than
    `room` calls in the end.

    Args:
        tables: what to generate from.
        rng: the stream.
        room: at least the calls before `pos`.
        out: the sequence, of at least one call.
        pos: its end.

    Returns:
        Its new end.
    """
    known = note_starts(tables, out, pos)
    size = 1 + below(rng, least(known, MOST_REPEATED))
    times = wrap64(1) << (1 + below(rng, DOUBLINGS))
    if below(rng, 2) == 0:
        times = 1 + below(rng, times)
    times = least(times, (room - known) // size)
    source = tables.starts[known - size]
    end = pos
    for _ in range(times * size):
        end = append_call(tables, rng, CHANGE_NOTHING, out, source, out, end)
        source = nth_call(out, source, 1)
    return end


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
