"""Call sequences: fresh calls mixed with what the corpus has.

Follows Echidna's scheme (append and prepend a changed prefix of a corpus entry, splice,
interleave) without its faults: entries count in full, a sequence is never empty, and
length 1 uses the corpus as well.

The corpus is one buffer of sequences; `entries` holds a pair of words for each, start
and end, oldest first.

Sequences come in groups. All of a group begin with calls of one corpus entry, which
stay as they are, followed by fresh ones; or none of them does. They begin with ever
more calls of it, so that a backend can run those once and branch from there. How many,
and which entry, are distributed as if each sequence were chosen on its own.

Some groups are *broods*: all their sequences begin with the same calls of an entry,
mostly with all of them, and end after few fresh ones. The state that the entry leads to
is what it was kept for, and the next step from there is one of a thousand: a brood
tries many for the price of one way there. In some tasks the whole entry may stand
behind others, so the state is one that several have led to. Where a brood begins with a
part of its entry, half of the sequences have the rest of it behind a few fresh calls:
what the entry shows may come out otherwise then.
"""

from __future__ import annotations

from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.parts import (
    CHANGE_MUTATE,
    CHANGE_NOTHING,
    CHANGE_SHRINK,
    append_call,
    append_calls,
    append_changed,
    append_fresh,
    append_repeated,
    fill_fresh,
)
from echidna_mcp.fuzz.records import count_calls, nth_call
from echidna_mcp.fuzz.rng import below, pick_later
from echidna_mcp.fuzz.tables import SEQUENCE_MUTATIONS, SEQUENCE_WEIGHTS, FuzzTables
from echidna_mcp.kernel.language.memory import Bytes, Words, u64, wrap64

SEQUENCE_KNOWN = 0
"""Appending fresh calls to calls of the corpus that stay as they are."""
SEQUENCE_SPLICE = 12
SEQUENCE_INTERLEAVE = 13
SEQUENCE_REPEAT = 14
SEQUENCE_BROOD = 15
"""Chosen for a group alone, as `SEQUENCE_KNOWN` is; no way to change calls."""

GROUP_SIZE = 8
"""Sequences of a group that is no brood."""
BROOD_SIZE = 32
"""Sequences of a brood."""
CUT_BROODS = 4
"""Of so many broods, one begins with a part of its entry."""
MOST_INSERTED = 3
"""Fresh calls between a part of the entry and its rest."""
GROUP_PLACE = 0
"""Number of the sequence in its group, from 1; 0 before the first one."""
GROUP_ENTRY = 1
"""Number of the corpus entry with which the group begins, from 1; 0 for none."""
GROUP_CALLS = 2
"""With how many of its calls the last sequence begins."""
GROUP_KEPT = 3
"""Up to which byte the last sequence is the same as the one before."""
GROUP_KNOWN = 4
"""Where in the last sequence the calls of the entry end."""
GROUP_SEQUENCES = 5
"""How many sequences the group has."""


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
        tables: what to generate from; `tables.group` tells what the sequence has in
            common with the one before.
        rng: the stream.
        corpus: the same from one sequence to the next, or longer.
        entries: start and end in `corpus` of each sequence, oldest first; later ones
            are chosen more often, in proportion to their rank.
        entry_count: number of them.
        out: at least `tables.sequence_capacity(seq_len)` bytes; it must still hold the
            sequence before.
    """
    if entry_count == 0:
        return append_fresh(tables, rng, tables.seq_len, out, 0)
    if tables.seq_len == 1:
        choice = weighted(rng, tables.weights, 0, SEQUENCE_MUTATIONS)
        entry = pick_later(rng, entry_count)
        start = entries[entry * 2]
        known = count_calls(corpus, start, entries[entry * 2 + 1])
        call = nth_call(corpus, start, below(rng, known))
        return build_single(tables, rng, choice, corpus, call, out)
    if begins_known(tables, rng, entry_count) != 0:
        return build_known(tables, rng, corpus, entries, entry_count, out)
    return build_changed(tables, rng, corpus, entries, entry_count, out)


def begins_known(tables: FuzzTables, rng: Words, entry_count: u64) -> u64:
    """Go on to the next sequence; return 1 if its group begins with a corpus entry.

    The first group begins anywhere in its middle. So even of few sequences no number of
    corpus calls is more likely than others.
    """
    group = tables.group
    place = group[GROUP_PLACE]
    if place != 0 and place < group[GROUP_SEQUENCES]:
        group[GROUP_PLACE] = place + 1
    else:
        group[GROUP_PLACE] = 1
        group[GROUP_SEQUENCES] = GROUP_SIZE
        # Each task has few groups: if its first began at the beginning, beginnings with
        # few known calls would be more frequent than those with many.
        if place == 0:
            group[GROUP_PLACE] = 1 + below(rng, GROUP_SIZE)
        group[GROUP_ENTRY] = 0
        group[GROUP_CALLS] = 0
        group[GROUP_KNOWN] = 0
        choice = weighted(rng, tables.weights, 0, SEQUENCE_WEIGHTS)
        if choice == SEQUENCE_KNOWN or choice == SEQUENCE_BROOD:
            group[GROUP_ENTRY] = 1 + pick_later(rng, entry_count)
        if choice == SEQUENCE_BROOD:
            group[GROUP_SEQUENCES] = BROOD_SIZE
    group[GROUP_KEPT] = group[GROUP_KNOWN]
    if group[GROUP_ENTRY] == 0:
        return 0
    return 1


def build_known(
    tables: FuzzTables,
    rng: Words,
    corpus: Bytes,
    entries: Words,
    entry_count: u64,
    out: Bytes,
) -> u64:
    """Write a sequence that begins with calls of the group's corpus entry.

    Of n calls it takes 1 to n. The k-th of g sequences takes a number from the k-th of
    g equal parts of that range, so a group covers it evenly, from below.
    """
    group = tables.group
    entry = (group[GROUP_ENTRY] - 1) * 2
    start = entries[entry]
    known = count_calls(corpus, start, entries[entry + 1])
    # One place is left for a fresh call: what is known alone would show nothing.
    known = least(known, tables.seq_len - 1)
    if group[GROUP_SEQUENCES] == BROOD_SIZE:
        if group[GROUP_CALLS] == 0:
            begin_brood(tables, rng, corpus, entries, entry_count, known, out)
        return build_brood(tables, rng, corpus, start, known, out)
    part = group[GROUP_PLACE] - 1
    count = 1 + (part * known + below(rng, known)) // GROUP_SIZE
    added = count - group[GROUP_CALLS]
    call = nth_call(corpus, start, group[GROUP_CALLS])
    kept = group[GROUP_KEPT]
    end = append_calls(tables, rng, CHANGE_NOTHING, corpus, call, added, out, kept)
    group[GROUP_CALLS] = count
    group[GROUP_KNOWN] = end
    return append_fresh(tables, rng, tables.seq_len - count, out, end)


def begin_brood(
    tables: FuzzTables,
    rng: Words,
    corpus: Bytes,
    entries: Words,
    entry_count: u64,
    known: u64,
    out: Bytes,
) -> None:
    """Write the calls that all sequences of a brood begin with.

    Those are `known` calls of the entry of the group, or a part of them; before all of
    them there may be other entries, as far as there is room.
    """
    group = tables.group
    start = entries[(group[GROUP_ENTRY] - 1) * 2]
    own = known
    before = wrap64(0)
    end = wrap64(0)
    if below(rng, CUT_BROODS) == 0:
        own = 1 + below(rng, known)
    elif tables.chained != 0:
        for _ in range(below(rng, tables.chained + 1)):
            other = pick_later(rng, entry_count) * 2
            first = entries[other]
            calls = count_calls(corpus, first, entries[other + 1])
            if before + calls + known + tables.brood_calls <= tables.seq_len:
                end = append_calls(
                    tables, rng, CHANGE_NOTHING, corpus, first, calls, out, end
                )
                before = before + calls
    group[GROUP_CALLS] = before + own
    group[GROUP_KNOWN] = append_calls(
        tables, rng, CHANGE_NOTHING, corpus, start, own, out, end
    )


def build_brood(
    tables: FuzzTables, rng: Words, corpus: Bytes, start: u64, known: u64, out: Bytes
) -> u64:
    """Write a sequence of a brood, whose entry of `known` calls is at `start`."""
    group = tables.group
    count = group[GROUP_CALLS]
    end = group[GROUP_KNOWN]
    room = tables.seq_len - count
    if tables.brood_calls == tables.seq_len:
        return append_fresh(tables, rng, room, out, end)
    if count >= known or below(rng, 2) == 0:
        fresh = 1 + below(rng, least(tables.brood_calls, room))
        return append_fresh(tables, rng, fresh, out, end)
    fresh = 1 + below(rng, least(MOST_INSERTED, room))
    end = append_fresh(tables, rng, fresh, out, end)
    rest = least(known - count, room - fresh)
    start = nth_call(corpus, start, count)
    return append_calls(tables, rng, CHANGE_NOTHING, corpus, start, rest, out, end)


def build_changed(
    tables: FuzzTables,
    rng: Words,
    corpus: Bytes,
    entries: Words,
    entry_count: u64,
    out: Bytes,
) -> u64:
    """Write a sequence of any other kind."""
    choice = weighted(rng, tables.weights, SEQUENCE_KNOWN + 1, SEQUENCE_MUTATIONS)
    entry = pick_later(rng, entry_count)
    start = entries[entry * 2]
    known = count_calls(corpus, start, entries[entry * 2 + 1])
    if choice == SEQUENCE_REPEAT:
        return build_repeated(tables, rng, corpus, start, known, out)
    if choice >= SEQUENCE_SPLICE:
        other = pick_later(rng, entry_count)
        return build_crossed(tables, rng, choice, corpus, entries, entry, other, out)
    count = 1 + below(rng, least(known, tables.seq_len - 1))
    # Even weights append fresh calls to the changed part, odd ones put them before it.
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


def build_repeated(
    tables: FuzzTables, rng: Words, corpus: Bytes, start: u64, known: u64, out: Bytes
) -> u64:
    """Write calls of the entry of `known` calls at `start`, the last ones many times.

    Half of the time it is all of it, and fresh calls may stand behind what is taken.
    """
    most = least(known, tables.seq_len - 1)
    count = most
    if below(rng, 2) == 0:
        count = 1 + below(rng, most)
    end = append_calls(tables, rng, CHANGE_NOTHING, corpus, start, count, out, 0)
    fresh = least(below(rng, MOST_INSERTED), tables.seq_len - count)
    end = append_fresh(tables, rng, fresh, out, end)
    end = append_repeated(tables, rng, tables.seq_len, out, end)
    return fill_fresh(tables, rng, out, end)


def weighted(rng: Words, weights: Words, first: u64, stop: u64) -> u64:
    """Return an index from `first` to below `stop`, in proportion to `weights`."""
    total = 0
    for index in range(first, stop):
        total = total + weights[index]
    rest = below(rng, total)
    for index in range(first, stop):
        if rest < weights[index]:
            return index
        rest = rest - weights[index]
    return first


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
