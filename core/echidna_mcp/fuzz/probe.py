"""Probing: answering the comparisons that a call has just made.

Where a contract compares an input with something, the other operand is the value to
try (input-to-state correspondence, Redqueen, 2019). In a probing sequence, from some
call on, each call is followed by copies of itself in which one input word is replaced
by what it was compared with; the comparison made last comes first, because a call that
reverts has failed it. Nested conditions fall one call at a time.

Copies take the *places* of calls at the end of the sequence, which then are left out.
Prioritized functions have places of their own, so that what is compared where does not
change their share (FR-008).

A comparison log is a ring of `MOST_COMPARISONS` rows of `COMPARISON_ROW` bytes: the
comparison of number n of a call stands in row n modulo `MOST_COMPARISONS`.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_COMPARISONS, ComparisonKind
from echidna_mcp.fuzz.integers import least, low_bits
from echidna_mcp.fuzz.ladders.chunks import bit_length
from echidna_mcp.fuzz.layout import (
    CALL_HEADER,
    CALL_VALUE,
    FLAG_PAYABLE,
    FUNCTION_FLAGS,
    FUNCTION_NODE,
    FUNCTION_WORDS,
)
from echidna_mcp.fuzz.records import (
    call_function,
    call_length,
    call_value,
    copy_call,
    count_calls,
    plain_length,
    set_call_delays,
    set_call_value,
)
from echidna_mcp.fuzz.rng import below, mix64
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import FAIL, is_canonical
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    load64,
    load256,
    peek256,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)

COMPARISON_KIND = 0
"""u64: a `ComparisonKind`."""
COMPARISON_LEFT = 8
"""u256, little-endian."""
COMPARISON_RIGHT = 40
"""u256, little-endian."""
COMPARISON_ROW = 72

PROBING_SEQUENCES = 8
"""One sequence in so many probes."""
MOST_PROBES = 8
"""Copies of one call that are tried, one after the other."""
PROBED_BYTES = CALL_HEADER + 2048
"""End of the part of a call record whose words are compared with operands."""
SHIFTED_BYTES = CALL_HEADER + 256
SHIFTED_COMPARISONS = 4
"""The same for words that are corrected by differences, and of which comparisons."""
NOT_FOUND = 256
PROBE_WORDS = MOST_PROBES + 1
"""Length of the `Words` that remember a chain: a count, then a mark of each try."""
PLACE_WORDS = 2
"""Length of the `Words` that count places: of prioritized functions at 1."""


def choose_probes(rng: Words, sequence: Bytes, end: u64) -> u64:
    """Choose from which call on a sequence probes that was just built.

    Probes take the place of calls at its end, and what leads to a state often stands at
    its beginning.

    Returns:
        The number of that call, counted from 1; 0 for a sequence that does not probe.
    """
    if below(rng, PROBING_SEQUENCES) != 0:
        return 0
    return 1 + below(rng, count_calls(sequence, 0, end))


def count_places(
    tables: FuzzTables, sequence: Bytes, at: u64, end: u64, places: Words
) -> None:
    """Count the places for calls of a sequence that probes, from the call at `at` on.

    They are as many as its calls; without priorities, what it lacks of `seq_len` calls
    is room for probes, too.

    Args:
        tables: the tables.
        sequence: as it was built.
        at: a byte offset.
        end: its end.
        places: the result, for functions that are not prioritized and that are.
    """
    places[0] = 0
    places[1] = 0
    if tables.priority_count == 0:
        places[0] = tables.seq_len - count_calls(sequence, 0, at)
        return
    start = at
    while start < end:
        kind = tables.prioritized[call_function(sequence, start)]
        places[kind] = places[kind] + 1
        start = start + call_length(sequence, start)


def places_left(tables: FuzzTables, places: Words, sequence: Bytes, at: u64) -> u64:
    """Return how many places there are for the call at `at`."""
    return places[tables.prioritized[call_function(sequence, at)]]


def take_place(tables: FuzzTables, places: Words, sequence: Bytes, at: u64) -> None:
    """Take one of the places that there are for the call at `at`."""
    kind = tables.prioritized[call_function(sequence, at)]
    places[kind] = places[kind] - 1


def skip_displaced(
    tables: FuzzTables, places: Words, sequence: Bytes, at: u64, end: u64
) -> u64:
    """Return where from `at` on the next call stands that has a place, else `end`."""
    start = at
    while start < end and places_left(tables, places, sequence, start) == 0:
        start = start + call_length(sequence, start)
    return start


def probe_call(
    tables: FuzzTables,
    log: Bytes,
    count: u64,
    tried: Words,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the next probe of the call at `at` to `pos`; return its end, or `FAIL`.

    Args:
        tables: the tables.
        log: the comparison log of the call.
        count: comparisons that the call made; the log has the last of them.
        tried: the chain so far, updated; word 0 is 0 at its beginning.
        src: holds the call at `at`.
        at: a byte offset.
        out: may be `src`.
        pos: a byte offset, from which on `MAX_CALL_BYTES` may be overwritten.
    """
    kept = least(count, MOST_COMPARISONS)
    # Backwards: a call that reverts has failed the comparison that it made last.
    for back in range(kept):
        row = ((count - 1 - back) % MOST_COMPARISONS) * COMPARISON_ROW
        end = answer_comparison(tables, log, row, tried, src, at, out, pos)
        if end != FAIL:
            return end
    # Only when no operand is an input as it stands: these guesses are mostly wrong, and
    # each word of the call is one.
    for back in range(least(count, SHIFTED_COMPARISONS)):
        row = ((count - 1 - back) % MOST_COMPARISONS) * COMPARISON_ROW
        left = peek256(log, row + COMPARISON_LEFT)
        right = peek256(log, row + COMPARISON_RIGHT)
        if load64(log, row + COMPARISON_KIND) == ComparisonKind.EQUAL:
            end = shift_word(tables, tried, left, right, src, at, out, pos)
            if end != FAIL:
                return end
    return FAIL


def answer_comparison(
    tables: FuzzTables,
    log: Bytes,
    row: u64,
    tried: Words,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the call with one operand of a comparison replaced, or `FAIL`.

    Args:
        row: where in `log` the comparison stands.
    """
    left = peek256(log, row + COMPARISON_LEFT)
    right = peek256(log, row + COMPARISON_RIGHT)
    # Most operands are no input: then there is nothing to try.
    left_given = has_input(left, src, at)
    right_given = has_input(right, src, at)
    variants = wrap64(1)
    if load64(log, row + COMPARISON_KIND) == ComparisonKind.ORDER:
        variants = 3
    for variant in range(variants * (left_given | right_given)):
        if left_given != 0:
            wanted = variation(right, variant)
            end = answer(tables, tried, left, wanted, src, at, out, pos)
            if end != FAIL:
                return end
        if right_given != 0:
            wanted = variation(left, variant)
            end = answer(tables, tried, right, wanted, src, at, out, pos)
            if end != FAIL:
                return end
    return FAIL


def variation(value: u256, variant: u64) -> u256:
    """Return the value itself, or one above, or one below."""
    if variant == 1:
        return wrap256(value + 1)
    if variant == 2:
        return wrap256(value - 1)
    return value


def answer(
    tables: FuzzTables,
    tried: Words,
    found: u256,
    wanted: u256,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the call with one input that is `found` replaced by `wanted`, or `FAIL`."""
    if call_value(src, at) == found:
        end = send_value(tables, tried, wanted, src, at, out, pos)
        if end != FAIL:
            return end
    stop = least(plain_length(src, at), PROBED_BYTES)
    place = CALL_HEADER
    while place < stop:
        word = answered_word(load256(src, at + place), found, wanted)
        if word != load256(src, at + place):
            end = try_word(tables, tried, place, word, src, at, out, pos)
            if end != FAIL:
                return end
        place = place + 32
    return FAIL


def send_value(
    tables: FuzzTables,
    tried: Words,
    value: u256,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the call with another value, or `FAIL`."""
    entry = call_function(src, at) * FUNCTION_WORDS
    if tables.functions[entry + FUNCTION_FLAGS] & FLAG_PAYABLE == 0:
        return FAIL
    if value == call_value(src, at) or value > tables.max_value:
        return FAIL
    if remember(tried, CALL_VALUE, value) == 0:
        return FAIL
    end = copy_call(src, at, out, pos)
    set_call_value(out, pos, value)
    # It stands behind the call that it copies, for which time has gone on already.
    set_call_delays(out, pos, 0, 0)
    return end


def shift_word(
    tables: FuzzTables,
    tried: Words,
    left: u256,
    right: u256,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the call with one word that is off by a difference corrected, or `FAIL`.

    For operands that are an input plus, minus or xor something.
    """
    stop = least(plain_length(src, at), SHIFTED_BYTES)
    place = CALL_HEADER
    while place < stop:
        word = load256(src, at + place)
        # Nobody knows which operand the word is in, or how: so all three, in turn.
        up = wrap256(word + wrap256(right - left))
        down = wrap256(word + wrap256(left - right))
        end = try_word(tables, tried, place, word ^ left ^ right, src, at, out, pos)
        if end == FAIL:
            end = try_word(tables, tried, place, up, src, at, out, pos)
        if end == FAIL:
            end = try_word(tables, tried, place, down, src, at, out, pos)
        if end != FAIL:
            return end
        place = place + 32
    return FAIL


def try_word(
    tables: FuzzTables,
    tried: Words,
    place: u64,
    word: u256,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the call with `word` at `place`; `FAIL` if it is no value or was tried."""
    entry = call_function(src, at) * FUNCTION_WORDS
    node = tables.functions[entry + FUNCTION_NODE]
    # Written first: whether a word is a value shows only where it stands.
    end = copy_call(src, at, out, pos)
    store256(out, pos + place, word)
    set_call_delays(out, pos, 0, 0)
    stop = pos + plain_length(src, at)
    if is_canonical(tables.types, node, out, pos + CALL_HEADER, stop) == 0:
        return FAIL
    if remember(tried, place, word) == 0:
        return FAIL
    return end


def answered_word(word: u256, found: u256, wanted: u256) -> u256:
    """Return `word` with `found` in it replaced by `wanted`; as it is if not found."""
    shift = shift_of(word, found)
    if shift == NOT_FOUND or bit_length(wanted) + shift > 256:
        return word
    return wanted << shift


@inline
def has_input(found: u256, src: Bytes, at: u64) -> u64:
    """Return 1 if the value of the call at `at` or one of its words is `found`."""
    if call_value(src, at) == found:
        return 1
    stop = least(plain_length(src, at), PROBED_BYTES)
    place = CALL_HEADER
    while place < stop:
        if shift_of(load256(src, at + place), found) != NOT_FOUND:
            return 1
        place = place + 32
    return 0


@inline
def shift_of(word: u256, found: u256) -> u64:
    """Return by how many bits `found` is shifted left in `word`, or `NOT_FOUND`.

    They are whole bytes: none, or as many as follow the data of a `bytesN`.
    """
    if word == found:
        return 0
    if found == 0 or word <= found:
        return NOT_FOUND
    shift = bit_length(word) - bit_length(found)
    if shift == 0 or shift & 7 != 0 or word >> shift != found:
        return NOT_FOUND
    if word & low_bits(shift) != 0:
        return NOT_FOUND
    return shift


def remember(tried: Words, place: u64, word: u256) -> u64:
    """Note that a word is tried at a place; return 0 if it was tried, or room ends."""
    if tried[0] >= MOST_PROBES:
        return 0
    # 64 bits of a word are enough: two of eight that collide cost one try, and the same
    # one on every backend.
    mark = mix64(wrap64(word) ^ mix64(wrap64(word >> 64) ^ place))
    mark = mix64(mark ^ wrap64(word >> 128) ^ mix64(wrap64(word >> 192)))
    for index in range(tried[0]):
        if tried[1 + index] == mark:
            return 0
    tried[1 + tried[0]] = mark
    tried[0] = tried[0] + 1
    return 1
