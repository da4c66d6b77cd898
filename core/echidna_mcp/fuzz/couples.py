"""Numbered simpler forms in which several things of a sequence change together.

Where one word can't become simpler without another one: equal words, words that differ
by a little, amounts in a proportion, arrays of equal lengths and what counts them, two
calls of which the second undoes the first. As in `fuzz.shrink` each form is strictly
simpler: no word grows, and at least one of them, a length or the number of calls gets
smaller.
"""

from __future__ import annotations

from echidna_mcp.fuzz.elements import cut_lengths
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.ladders.chunks import SIZE_BITS, SIZE_MASK, bit_length
from echidna_mcp.fuzz.ladders.near import (
    LOWER_SLOTS,
    common_divisor,
    is_near,
    least256,
    lower_at,
    near_at,
    near_slots,
)
from echidna_mcp.fuzz.layout import CALL_HEADER, FUNCTION_NODE, FUNCTION_WORDS
from echidna_mcp.fuzz.marks import (
    ADDRESS,
    COUNT,
    LENGTH,
    MARKS,
    NUMBERS,
    call_of,
    kin,
    kind_of,
    mark_all,
    set_word,
    size_of,
    word_of,
)
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_function,
    call_length,
    call_sender,
    call_time_delay,
    copy_range,
    count_calls,
    nth_call,
    seal_call,
    set_call_delays,
    set_call_sender,
)
from echidna_mcp.fuzz.shrink_value import (
    NO_MORE,
    UNCHANGED,
    address_slots,
    run_cut,
    run_slots,
    sender_rank,
    shrink_address,
    shrink_fixed_bytes,
)
from echidna_mcp.fuzz.tables import MAX_DELAY, FuzzTables
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    copy,
    load256,
    local_words,
    u64,
    wrap64,
    wrap256,
)

MOST_PAIRED_CALLS = 12
"""Two calls are taken away together if there are no more than so many."""

DIVISORS = (10**18, 10**15, 10**12, 10**9, 10**6, 1_000, 100, 10, 2)
SCALES = 10
"""By these, and by their greatest common divisor, all numbers are divided."""
MODES = 4
SAME_COUNT = 1
"""Mode: what counts the elements shrinks as well."""
SAME_SEQUENCE = 2
"""Mode: everything of this length in the whole sequence, not only in a call."""
PAIR_STEPS = 4
"""Of each pair of numbers: divided by their divisor, by 2, by the root of the larger,
and made equal."""


def couple_candidate(
    tables: FuzzTables, src: Bytes, src_end: u64, index: u64, out: Bytes
) -> u64:
    """Write candidate `index` of those that change several things at once.

    In order: equal lengths cut; all numbers divided; groups of equal or near words
    changed; pairs of numbers; pairs of calls. See `fuzz.shrink.shrink_candidate`.
    """
    marks = local_words(MARKS)
    mark_all(tables, src, src_end, marks)
    rest = index
    for one in range(marks[0]):
        for mode in range(MODES):
            slots = length_slots(src, marks, one, mode)
            if rest < slots:
                return cut_all(tables, src, src_end, marks, one, mode, rest, out)
            rest = rest - slots
    if rest < SCALES:
        return scale_all(src, src_end, marks, rest, out)
    return couple_words(tables, src, src_end, marks, rest - SCALES, out)


def couple_words(
    tables: FuzzTables, src: Bytes, src_end: u64, marks: Words, index: u64, out: Bytes
) -> u64:
    """Write candidate `index` of groups, of pairs of numbers, and of pairs of calls."""
    rest = index
    for one in range(marks[0]):
        slots = equal_slots(tables, src, marks, one)
        if rest < slots:
            return change_equal(tables, src, src_end, marks, one, rest, out)
        rest = rest - slots
        slots = near_group_slots(src, marks, one)
        if rest < slots:
            return lower_near(src, src_end, marks, one, rest, out)
        rest = rest - slots
    for one in range(marks[0]):
        for other in range(one + 1, marks[0]):
            slots = pair_slots(src, marks, one, other)
            if rest < slots:
                return change_pair(src, src_end, marks, one, other, rest, out)
            rest = rest - slots
    return pair_of_calls(tables, src, src_end, rest, out)


# --------------------------------------------------------------------------- lengths


def length_slots(src: Bytes, marks: Words, one: u64, mode: u64) -> u64:
    """Return in how many ways all of the length at a mark is cut in a mode.

    None if the mark is not the first of its length, or if the mode means nothing more
    than one with less in it.
    """
    if kind_of(marks, one) != LENGTH:
        return 0
    length = word_of(src, marks, one)
    for before in range(one):
        if (
            kind_of(marks, before) == LENGTH
            and word_of(src, marks, before) == length
            and beside(marks, one, before, mode) != 0
        ):
            return 0
    members = members_of(src, marks, one, mode)
    fewer = 1
    if mode & SAME_COUNT != 0:
        fewer = members_of(src, marks, one, mode - SAME_COUNT)
    if members == fewer:
        return 0
    if mode >= SAME_SEQUENCE:
        fewer = members_of(src, marks, one, mode - SAME_SEQUENCE)
        if members == fewer:
            return 0
    return run_slots(wrap64(length))


def members_of(src: Bytes, marks: Words, one: u64, mode: u64) -> u64:
    """Return how much has the length at a mark, in a mode."""
    length = word_of(src, marks, one)
    members = 0
    for other in range(marks[0]):
        kind = kind_of(marks, other)
        if (
            (kind == LENGTH or (kind == COUNT and mode & SAME_COUNT != 0))
            and beside(marks, one, other, mode) != 0
            and word_of(src, marks, other) == length
        ):
            members = members + 1
    return members


def beside(marks: Words, one: u64, other: u64, mode: u64) -> u64:
    """Return 1 if two marks are in one call, or may be in two in this mode, else 0."""
    if mode >= SAME_SEQUENCE or call_of(marks, other) == call_of(marks, one):
        return 1
    return 0


def cut_all(
    tables: FuzzTables,
    src: Bytes,
    src_end: u64,
    marks: Words,
    one: u64,
    mode: u64,
    slot: u64,
    out: Bytes,
) -> u64:
    """Write the sequence with all of the length at a mark cut in way `slot`."""
    length = wrap64(word_of(src, marks, one))
    cut = run_cut(length, slot)
    at = 0
    end = 0
    number = 0
    while at < src_end:
        if mode >= SAME_SEQUENCE or number == call_of(marks, one):
            node = tables.functions[
                call_function(src, at) * FUNCTION_WORDS + FUNCTION_NODE
            ]
            start = at + CALL_HEADER
            stop = cut_lengths(
                tables.types,
                node,
                src,
                start,
                length,
                cut >> SIZE_BITS,
                cut & SIZE_MASK,
                mode & SAME_COUNT,
                out,
                copy_range(src, at, start, out, end),
            )
            end = seal_call(src, at, out, end, stop)
        else:
            end = copy_range(src, at, at + call_length(src, at), out, end)
        at = at + call_length(src, at)
        number = number + 1
    return end


# --------------------------------------------------------------------------- words


def scale_all(src: Bytes, src_end: u64, marks: Words, slot: u64, out: Bytes) -> u64:
    """Write the sequence with all numbers divided by one."""
    divisor = wrap256(0)
    if slot == 0:
        for one in range(marks[0]):
            if kind_of(marks, one) < NUMBERS:
                divisor = common_divisor(divisor, word_of(src, marks, one))
    else:
        divisor = wrap256(DIVISORS[slot - 1])
    if divisor < 2:
        return UNCHANGED
    end = copy_range(src, 0, src_end, out, 0)
    numbers = 0
    for one in range(marks[0]):
        if kind_of(marks, one) < NUMBERS:
            set_word(out, marks, one, word_of(src, marks, one) // divisor)
            numbers = numbers + 1
    if numbers < 2:
        return UNCHANGED
    return end


def equal_slots(tables: FuzzTables, src: Bytes, marks: Words, one: u64) -> u64:
    """Return the candidates for all words that equal the one at a mark.

    None if there is no other, or if the mark is not the first of them.
    """
    kind = kind_of(marks, one)
    if kind == LENGTH:
        return 0
    word = word_of(src, marks, one)
    for before in range(one):
        if kin(marks, one, before) != 0 and word_of(src, marks, before) == word:
            return 0
    if equals_of(src, marks, one) < 2:
        return 0
    if kind < NUMBERS:
        return near_slots(word)
    if kind == ADDRESS:
        return address_slots(tables, word)
    return run_slots(size_of(marks, one))


def equals_of(src: Bytes, marks: Words, one: u64) -> u64:
    """Return how many words are equal to the one at a mark, itself included."""
    word = word_of(src, marks, one)
    equals = 0
    for other in range(marks[0]):
        if kin(marks, one, other) != 0 and word_of(src, marks, other) == word:
            equals = equals + 1
    return equals


def change_equal(
    tables: FuzzTables,
    src: Bytes,
    src_end: u64,
    marks: Words,
    one: u64,
    slot: u64,
    out: Bytes,
) -> u64:
    """Write the sequence with candidate `slot` of all words equal to a marked one."""
    kind = kind_of(marks, one)
    word = word_of(src, marks, one)
    simpler = word
    if kind < NUMBERS:
        simpler = near_at(word, slot)
    elif kind == ADDRESS:
        simpler = shrink_address(tables, slot)
    else:
        simpler = shrink_fixed_bytes(size_of(marks, one), word, slot)
    if simpler == word:
        return UNCHANGED
    end = copy_range(src, 0, src_end, out, 0)
    for other in range(marks[0]):
        if kin(marks, one, other) != 0 and word_of(src, marks, other) == word:
            set_word(out, marks, other, simpler)
    return end


def in_group(src: Bytes, marks: Words, one: u64, other: u64) -> u64:
    """Return 1 if a number is at least the marked one and less than twice it."""
    if kind_of(marks, other) >= NUMBERS:
        return 0
    word = word_of(src, marks, other)
    if word < word_of(src, marks, one):
        return 0
    return is_near(word_of(src, marks, one), word)


def near_group_slots(src: Bytes, marks: Words, one: u64) -> u64:
    """Return the candidates for all numbers from a marked one up to twice of it.

    None if they are fewer than three, which pairs cover, if all of them are equal, or
    if the mark is not the first of its value.
    """
    if kind_of(marks, one) >= NUMBERS:
        return 0
    word = word_of(src, marks, one)
    members = 0
    larger = 0
    for other in range(marks[0]):
        if in_group(src, marks, one, other) != 0:
            members = members + 1
            if word_of(src, marks, other) != word:
                larger = 1
            elif other < one:
                return 0
    if members < 3 or larger == 0:
        return 0
    return near_slots(word)


def lower_near(
    src: Bytes, src_end: u64, marks: Words, one: u64, slot: u64, out: Bytes
) -> u64:
    """Write the sequence with a group of near numbers less the same amount."""
    word = word_of(src, marks, one)
    less = word - near_at(word, slot)
    if less == 0:
        return UNCHANGED
    end = copy_range(src, 0, src_end, out, 0)
    for other in range(marks[0]):
        if in_group(src, marks, one, other) != 0:
            set_word(out, marks, other, word_of(src, marks, other) - less)
    return end


def pair_slots(src: Bytes, marks: Words, one: u64, other: u64) -> u64:
    """Return the candidates for two marked numbers.

    None if they are equal and no other one is: those have been changed as a group.
    """
    if kind_of(marks, one) >= NUMBERS or kind_of(marks, other) >= NUMBERS:
        return 0
    left = word_of(src, marks, one)
    right = word_of(src, marks, other)
    if left == right and equals_of(src, marks, one) == 2:
        return 0
    if is_near(left, right) == 0:
        return PAIR_STEPS + 4
    return PAIR_STEPS + LOWER_SLOTS


def change_pair(
    src: Bytes,
    src_end: u64,
    marks: Words,
    one: u64,
    other: u64,
    slot: u64,
    out: Bytes,
) -> u64:
    """Write the sequence with candidate `slot` of two numbers.

    Both divided; the larger one made the smaller; both less so much that the smaller is
    0, 1, 2 or 3, and if they are near, less than that, down to 1.
    """
    left = word_of(src, marks, one)
    right = word_of(src, marks, other)
    low = least256(left, right)
    high = left ^ right ^ low
    new_left = low
    new_right = low
    if slot == 0:
        divisor = common_divisor(left, right)
        new_left = left // divisor
        new_right = right // divisor
    elif slot < 3:
        shift = 1
        if slot == 2:
            shift = bit_length(high) >> 1
        new_left = left >> shift
        new_right = right >> shift
    elif slot >= PAIR_STEPS:
        less = low - lower_at(low, slot - PAIR_STEPS)
        new_left = left - less
        new_right = right - less
    if new_left == left and new_right == right:
        return UNCHANGED
    end = copy_range(src, 0, src_end, out, 0)
    set_word(out, marks, one, new_left)
    set_word(out, marks, other, new_right)
    return end


# --------------------------------------------------------------------------- calls


def pair_of_calls(
    tables: FuzzTables, src: Bytes, src_end: u64, index: u64, out: Bytes
) -> u64:
    """Write candidate `index` of those that change two calls.

    Two calls taken away, their delays added to those that follow; then an earlier
    sender for two calls that have the same one.
    """
    count = count_calls(src, 0, src_end)
    if count > MOST_PAIRED_CALLS:
        return NO_MORE
    rest = index
    for one in range(count):
        for other in range(one + 1, count):
            if rest == 0:
                return without_two(src, src_end, one, other, out)
            rest = rest - 1
    for one in range(count):
        for other in range(one + 1, count):
            first = nth_call(src, 0, one)
            second = nth_call(src, 0, other)
            slots = sender_rank(tables, call_sender(src, first))
            if call_sender(src, second) != call_sender(src, first):
                slots = 0
            if rest < slots:
                end = copy_range(src, 0, src_end, out, 0)
                sender = load256(tables.senders, rest * 32)
                set_call_sender(out, first, sender)
                set_call_sender(out, second, sender)
                return end
            rest = rest - slots
    return NO_MORE


def without_two(src: Bytes, src_end: u64, one: u64, other: u64, out: Bytes) -> u64:
    """Write the sequence without two calls; what follows waits for them as well.

    Returns:
        Its end, or `UNCHANGED` if nothing would be left.
    """
    end = 0
    at = 0
    number = 0
    seconds = 0
    blocks = 0
    while at < src_end:
        size = call_length(src, at)
        seconds = least(seconds + call_time_delay(src, at), MAX_DELAY)
        blocks = least(blocks + call_block_delay(src, at), MAX_DELAY)
        if number != one and number != other:
            copy(out, end, src, at, size)
            set_call_delays(out, end, seconds, blocks)
            seconds = 0
            blocks = 0
            end = end + size
        at = at + size
        number = number + 1
    if end == 0:
        return UNCHANGED
    return end
