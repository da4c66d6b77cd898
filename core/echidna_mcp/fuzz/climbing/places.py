"""Places: what a call says that a variant of it may say otherwise.

A *place* is a number in a call record: an argument of one word, a byte of `bytes` or
`string`, a length, the wei, a delay, the sender. Rows of `PLACE_WORDS` words tell them.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_ARRAY,
    KIND_BOOL,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_FUNCTION,
    KIND_INT,
    KIND_TUPLE,
    NODE_ARG,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.integers import least, low_bits, wrap_integer
from echidna_mcp.fuzz.layout import (
    CALL_BLOCK_DELAY,
    CALL_HEADER,
    CALL_SENDER,
    CALL_TIME_DELAY,
    CALL_VALUE,
    FLAG_PAYABLE,
    FUNCTION_FLAGS,
    FUNCTION_WORDS,
)
from echidna_mcp.fuzz.records import call_function
from echidna_mcp.fuzz.rename import argument_node
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import length_at, padded
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    load64,
    load256,
    store64,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)

PLACE_CALL = 0
"""Number of the call in the window."""
PLACE_AT = 1
"""Byte offset in its record."""
PLACE_SORT = 2
PLACE_BITS = 3
"""How many bits it has."""
PLACE_SHIFT = 4
"""How far they are shifted left in their word."""
PLACE_NODE = 5
"""Its type; of a `LENGTH` the one that has the length."""
PLACE_WORDS = 6
MOST_PLACES = 512
MOST_PLACES_OF_CALL = 384

NUMBER = 0
SIGNED = 1
FIXED = 2
"""`bytesN`."""
BYTE = 3
LENGTH = 4
AMOUNT = 5
"""The wei sent along."""
TIME = 6
BLOCKS = 7
ADDRESS = 8
"""It is not counted with."""
SENDER = 9
"""The same."""

BYTES_LISTED = 12
"""Bytes at the beginning of `bytes` and `string` that are places."""
WORDS_LISTED = 8
"""Words of `bytes`, which may be encoded arguments, that are places."""
LENGTH_BITS = 8


def changed_at(c: Climb, row: u64) -> u64:
    """Return where the call of a place begins in the variant."""
    return c.variant_starts[c.places[row + PLACE_CALL]]


def list_places(
    tables: FuzzTables, record: Bytes, at: u64, call: u64, places: Words, count: u64
) -> u64:
    """List the places of the call at `at`; return how many there are then.

    Args:
        tables: the tables.
        record: holds the call.
        at: a byte offset.
        call: its number in the window.
        places: the list.
        count: how many it has.
    """
    stop = least(count + MOST_PLACES_OF_CALL, MOST_PLACES)
    node = argument_node(tables, record, at)
    start = at + CALL_HEADER
    ends = list_value(tables, node, record, start, at, call, places, count, stop)
    listed = ends >> 32
    entry = call_function(record, at) * FUNCTION_WORDS
    if tables.functions[entry + FUNCTION_FLAGS] & FLAG_PAYABLE != 0:
        listed = add_place(places, listed, call, CALL_VALUE, AMOUNT, 256, 0, 0)
    if tables.max_time_delay != 0:
        listed = add_place(places, listed, call, CALL_TIME_DELAY, TIME, 64, 0, 0)
    if tables.max_block_delay != 0:
        listed = add_place(places, listed, call, CALL_BLOCK_DELAY, BLOCKS, 64, 0, 0)
    if tables.sender_count > 1:
        listed = add_place(places, listed, call, CALL_SENDER, SENDER, 160, 0, 0)
    return listed


def add_place(
    places: Words,
    count: u64,
    call: u64,
    at: u64,
    sort: u64,
    bits: u64,
    shift: u64,
    node: u64,
) -> u64:
    """Add a place if there is room; return how many there are then."""
    if count == MOST_PLACES:
        return count
    row = count * PLACE_WORDS
    places[row + PLACE_CALL] = call
    places[row + PLACE_AT] = at
    places[row + PLACE_SORT] = sort
    places[row + PLACE_BITS] = bits
    places[row + PLACE_SHIFT] = shift
    places[row + PLACE_NODE] = node
    return count + 1


def list_value(
    tables: FuzzTables,
    node: u64,
    record: Bytes,
    start: u64,
    at: u64,
    call: u64,
    places: Words,
    count: u64,
    stop: u64,
) -> u64:
    """List the places of the value of type `node` at `start`, up to `stop` altogether.

    Returns:
        How many there are then, times 2^32, and where the value ends.
    """
    types = tables.types
    kind = types[node + NODE_KIND]
    listed = count
    if kind < KIND_BYTES:
        if listed < stop:
            listed = list_leaf(types, node, start - at, call, places, listed)
        return (listed << 32) | (start + 32)
    end = start
    parts = types[node + NODE_ARG]
    if kind <= KIND_ARRAY:
        parts = length_at(record, start)
        end = start + 32
        if listed < stop:
            bits = wrap64(LENGTH_BITS)
            place = start - at
            listed = add_place(places, listed, call, place, LENGTH, bits, 0, node)
    if kind < KIND_ARRAY:
        listed = list_text(tables, node, end - at, parts, call, places, listed, stop)
        return (listed << 32) | (end + padded(parts))
    child = node + NODE_WORDS
    for _ in range(parts):
        both = list_value(tables, child, record, end, at, call, places, listed, stop)
        listed = both >> 32
        end = both & 0xFFFFFFFF
        if kind == KIND_TUPLE:
            child = types[child + NODE_NEXT]
    return (listed << 32) | end


def list_text(
    tables: FuzzTables,
    node: u64,
    begin: u64,
    size: u64,
    call: u64,
    places: Words,
    count: u64,
    stop: u64,
) -> u64:
    """List what stands in `size` bytes of a call from `begin` on: bytes, and words.

    The words of `bytes` are those behind a selector, if its length is that of one and
    whole words, else those from its beginning on; what is left at the end is one, too.
    """
    listed = count
    for number in range(least(size, BYTES_LISTED)):
        if listed < stop:
            place = begin + number
            listed = add_place(places, listed, call, place, BYTE, 8, 0, node)
    if tables.types[node + NODE_KIND] == KIND_BYTES and tables.payloads != 0:
        first = begin
        if size & 31 == 4:
            first = begin + 4
        for number in range(least(size >> 5, WORDS_LISTED)):
            if listed < stop:
                place = first + number * 32
                listed = add_place(places, listed, call, place, NUMBER, 256, 0, node)
        rest = 8 * (size & 31)
        if first == begin and rest != 0 and size >> 5 < WORDS_LISTED and listed < stop:
            place = begin + (size >> 5) * 32
            shift = 256 - rest
            listed = add_place(places, listed, call, place, NUMBER, rest, shift, node)
    return listed


def list_leaf(
    types: Words, node: u64, place: u64, call: u64, places: Words, count: u64
) -> u64:
    """List a value of one word."""
    kind = types[node + NODE_KIND]
    if kind == KIND_ADDRESS:
        return add_place(places, count, call, place, ADDRESS, 160, 0, node)
    if kind == KIND_BOOL:
        return add_place(places, count, call, place, NUMBER, 1, 0, node)
    size = types[node + NODE_ARG]
    if kind == KIND_BYTES_FIXED or kind == KIND_FUNCTION:
        shift = 256 - 8 * size
        return add_place(places, count, call, place, FIXED, 8 * size, shift, node)
    if kind == KIND_INT:
        return add_place(places, count, call, place, SIGNED, size, 0, node)
    return add_place(places, count, call, place, NUMBER, size, 0, node)


def read_place(places: Words, row: u64, record: Bytes, at: u64) -> u256:
    """Return the number at a place of the call at `at`, below 2 to its bits.

    Args:
        places: the list.
        row: where in it the place stands.
        record: holds the call.
        at: a byte offset.
    """
    where = at + places[row + PLACE_AT]
    sort = places[row + PLACE_SORT]
    if sort == BYTE:
        return wrap256(record[where])
    if sort == TIME or sort == BLOCKS:
        return wrap256(load64(record, where))
    word = load256(record, where) >> places[row + PLACE_SHIFT]
    if places[row + PLACE_BITS] == 256 or sort == LENGTH:
        return word
    return word & low_bits(places[row + PLACE_BITS])


def ordered(places: Words, row: u64, number: u256) -> u256:
    """Return a number at a place as one that is greater the greater it is as a value.

    So a signed one has its sign bit inverted; doing it again gives the number back.
    """
    if places[row + PLACE_SORT] == SIGNED:
        return number ^ (wrap256(1) << (places[row + PLACE_BITS] - 1))
    return number


def write_place(
    tables: FuzzTables, places: Words, row: u64, number: u256, record: Bytes, at: u64
) -> None:
    """Write a number to a place of the call at `at`, as near to it as may be.

    It must be no `LENGTH`: that changes what follows (`lengths`). Args as above.
    """
    where = at + places[row + PLACE_AT]
    sort = places[row + PLACE_SORT]
    bits = places[row + PLACE_BITS]
    if sort == BYTE:
        record[where] = wrap64(number & 255)
    elif sort == TIME:
        store64(record, where, delay_near(number, tables.max_time_delay))
    elif sort == BLOCKS:
        store64(record, where, delay_near(number, tables.max_block_delay))
    elif sort == AMOUNT and number > tables.max_value:
        store256(record, where, tables.max_value)
    elif sort == AMOUNT:
        store256(record, where, number)
    elif sort == SIGNED:
        store256(record, where, wrap_integer(KIND_INT, bits, number))
    else:
        store256(record, where, (number & low_bits(bits)) << places[row + PLACE_SHIFT])


def delay_near(number: u256, most: u64) -> u64:
    """Return a delay, at most `most`."""
    if number > wrap256(most):
        # What is below 0 has wrapped.
        if number >> 255 != 0:
            return wrap64(0)
        return most
    return wrap64(number)
