"""Marks: what stands in a sequence that could become simpler together with others.

A *mark* is two words: where something stands, and its kind, size and call, packed.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_ARRAY,
    KIND_BOOL,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_INT,
    KIND_TUPLE,
    KIND_UINT,
    NODE_ARG,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.integers import magnitude
from echidna_mcp.fuzz.layout import (
    CALL_BLOCK_DELAY,
    CALL_HEADER,
    CALL_TIME_DELAY,
    CALL_VALUE,
)
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_length,
    call_time_delay,
    call_value,
)
from echidna_mcp.fuzz.rename import argument_node
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import length_at, skip
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

MOST_MARKS = 32
"""So many words and lengths that are not 0 are looked at, the first of the sequence."""
MARKS = 1 + 2 * MOST_MARKS
"""Words of a list of marks: how many there are, and the marks."""
AMOUNT = 0
"""Value of a call, `bool`."""
COUNT = 1
"""`uintN`; it may count elements."""
SIGNED = 2
DELAY = 3
NUMBERS = 4
"""Kinds below are numbers."""
ADDRESS = 4
FIXED = 5
"""`bytesN`."""
LENGTH = 6
"""Of `T[]`, `bytes`, `string`."""


def mark_all(tables: FuzzTables, src: Bytes, src_end: u64, marks: Words) -> None:
    """Mark the words and lengths of the sequence that are not 0."""
    at = 0
    number = 0
    while at < src_end:
        if call_value(src, at) != 0:
            mark(marks, at + CALL_VALUE, AMOUNT, 0, number)
        if call_time_delay(src, at) != 0:
            mark(marks, at + CALL_TIME_DELAY, DELAY, 0, number)
        if call_block_delay(src, at) != 0:
            mark(marks, at + CALL_BLOCK_DELAY, DELAY, 0, number)
        node = argument_node(tables, src, at)
        mark_value(tables.types, node, src, at + CALL_HEADER, marks, number)
        at = at + call_length(src, at)
        number = number + 1


def mark(marks: Words, at: u64, kind: u64, size: u64, call: u64) -> None:
    """Add a mark if there is room."""
    count = marks[0]
    if count < MOST_MARKS:
        marks[1 + 2 * count] = at
        marks[2 + 2 * count] = kind | (size << 8) | (call << 32)
        marks[0] = count + 1


def mark_value(
    types: Words, node: u64, src: Bytes, at: u64, marks: Words, call: u64
) -> u64:
    """Mark what is in the value of type `node` at `at`; return its end."""
    kind = types[node + NODE_KIND]
    if kind < KIND_BYTES:
        mark_leaf(types, node, src, at, marks, call)
        return at + 32
    if kind <= KIND_ARRAY:
        if length_at(src, at) != 0:
            mark(marks, at, LENGTH, 0, call)
        if kind < KIND_ARRAY:
            return skip(types, node, src, at)
    parts = types[node + NODE_ARG]
    end = at
    if kind == KIND_ARRAY:
        parts = length_at(src, at)
        end = at + 32
    child = node + NODE_WORDS
    for _ in range(parts):
        end = mark_value(types, child, src, end, marks, call)
        if kind == KIND_TUPLE:
            child = types[child + NODE_NEXT]
    return end


def mark_leaf(
    types: Words, node: u64, src: Bytes, at: u64, marks: Words, call: u64
) -> None:
    """Mark a word of type `node` if it is not 0."""
    if load256(src, at) == 0:
        return
    kind = types[node + NODE_KIND]
    if kind == KIND_UINT:
        mark(marks, at, COUNT, 0, call)
    elif kind == KIND_BOOL:
        mark(marks, at, AMOUNT, 0, call)
    elif kind == KIND_INT:
        mark(marks, at, SIGNED, 0, call)
    elif kind == KIND_ADDRESS:
        mark(marks, at, ADDRESS, 0, call)
    elif kind == KIND_BYTES_FIXED:
        mark(marks, at, FIXED, types[node + NODE_ARG], call)


def place_of(marks: Words, one: u64) -> u64:
    """Return where what is marked stands."""
    return marks[1 + 2 * one]


def kind_of(marks: Words, one: u64) -> u64:
    """Return the kind of what is marked."""
    return marks[2 + 2 * one] & 255


def size_of(marks: Words, one: u64) -> u64:
    """Return the N of a marked `bytesN`."""
    return (marks[2 + 2 * one] >> 8) & 255


def call_of(marks: Words, one: u64) -> u64:
    """Return the number of the call in which what is marked stands."""
    return marks[2 + 2 * one] >> 32


def word_of(src: Bytes, marks: Words, one: u64) -> u256:
    """Return what is marked: of a signed number how far from 0 it is."""
    kind = kind_of(marks, one)
    if kind == DELAY:
        return wrap256(load64(src, place_of(marks, one)))
    word = load256(src, place_of(marks, one))
    if kind == SIGNED:
        return magnitude(KIND_INT, word)
    return word


def set_word(out: Bytes, marks: Words, one: u64, word: u256) -> None:
    """Write what is marked; a signed number keeps its sign."""
    place = place_of(marks, one)
    kind = kind_of(marks, one)
    if kind == DELAY:
        store64(out, place, wrap64(word))
    elif kind == SIGNED and load256(out, place) >> 255 != 0:
        store256(out, place, wrap256(0 - word))
    else:
        store256(out, place, word)


def kin(marks: Words, one: u64, other: u64) -> u64:
    """Return 1 if the marks are of words that can be equal, else 0."""
    kind = kind_of(marks, one)
    if kind < NUMBERS:
        if kind_of(marks, other) < NUMBERS:
            return 1
        return 0
    if kind == kind_of(marks, other) and size_of(marks, one) == size_of(marks, other):
        return 1
    return 0
