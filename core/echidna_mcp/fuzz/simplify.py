"""Random simplification, as a mutation.

Writes values that are no bigger than the ones that are read, for corpus sequences that
carry more than they need. Reproducers are shrunk by `fuzz.shrink`, without chance.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_ARRAY,
    KIND_BYTES,
    KIND_INT,
    KIND_STRING,
    KIND_TUPLE,
    KIND_UINT,
    NODE_ARG,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.elements import delete_elements
from echidna_mcp.fuzz.integers import magnitude, wrap_integer
from echidna_mcp.fuzz.layout import CALL_HEADER, FUNCTION_NODE, FUNCTION_WORDS
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_function,
    call_length,
    call_time_delay,
    call_value,
    copy_range,
    seal_call,
    set_call_delays,
    set_call_value,
)
from echidna_mcp.fuzz.rng import at_most, below, next64
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import length_at, seal_bytes, skip
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    copy,
    load256,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)


def lower(rng: Words, value: u256) -> u256:
    """Return 0 or, half of the time, a uniform number up to `value`."""
    if next64(rng) & 1 != 0:
        return wrap256(0)
    return at_most(rng, value)


def simplify_leaf(tables: FuzzTables, rng: Words, node: u64, value: u256) -> u256:
    """Return a simpler word: numbers nearer to 0, addresses the first sender."""
    kind = tables.types[node + NODE_KIND]
    if kind == KIND_UINT:
        return lower(rng, value)
    if kind == KIND_INT:
        small = lower(rng, magnitude(kind, value))
        if value >> 255 != 0:
            return wrap_integer(kind, tables.types[node + NODE_ARG], wrap256(0 - small))
        return small
    if kind == KIND_ADDRESS and value != 0 and next64(rng) & 1 != 0:
        return load256(tables.senders, 0)
    return wrap256(0)


def simplify_array(
    tables: FuzzTables, rng: Words, node: u64, src: Bytes, at: u64, out: Bytes, pos: u64
) -> u64:
    """Write a slice of a `T[]`: up to all of its elements, cut at a uniform place."""
    count = length_at(src, at)
    first = below(rng, count + 1)
    cut = below(rng, count - first + 1)
    end = skip(tables.types, node, src, at)
    store256(out, pos, wrap256(count - cut))
    child = node + NODE_WORDS
    return delete_elements(
        tables.types, child, src, at + 32, end, first, cut, out, pos + 32
    )


def simplify_value(
    tables: FuzzTables, rng: Words, node: u64, src: Bytes, at: u64, out: Bytes, pos: u64
) -> u64:
    """Write a simpler value of type `node` at `pos`; return its end.

    Members of tuples and elements of `T[k]` are simplified half of the time each.
    """
    types = tables.types
    kind = types[node + NODE_KIND]
    if kind < KIND_BYTES:
        store256(out, pos, simplify_leaf(tables, rng, node, load256(src, at)))
        return pos + 32
    if kind == KIND_BYTES or kind == KIND_STRING:
        size = wrap64(lower(rng, load256(src, at)))
        copy(out, pos + 32, src, at + 32, size)
        return seal_bytes(out, pos, size)
    if kind == KIND_ARRAY:
        return simplify_array(tables, rng, node, src, at, out, pos)
    start = at
    stop = pos
    child = node + NODE_WORDS
    for _ in range(types[node + NODE_ARG]):
        after = skip(types, child, src, start)
        if next64(rng) & 1 != 0:
            stop = simplify_value(tables, rng, child, src, start, out, stop)
        else:
            stop = copy_range(src, start, after, out, stop)
        start = after
        if kind == KIND_TUPLE:
            child = types[child + NODE_NEXT]
    return stop


def simplify_call(
    tables: FuzzTables, rng: Words, src: Bytes, at: u64, out: Bytes, pos: u64
) -> u64:
    """Copy the record at `at` with simpler arguments, value or delays."""
    end = copy_range(src, at, at + CALL_HEADER, out, pos)
    entry = call_function(src, at) * FUNCTION_WORDS
    node = tables.functions[entry + FUNCTION_NODE]
    choice = below(rng, 3)
    if choice == 0:
        start = at + CALL_HEADER
        end = simplify_value(tables, rng, node, src, start, out, end)
        return seal_call(src, at, out, pos, end)
    if choice == 1:
        set_call_value(out, pos, lower(rng, call_value(src, at)))
    else:
        seconds = lower(rng, wrap256(call_time_delay(src, at)))
        blocks = lower(rng, wrap256(call_block_delay(src, at)))
        set_call_delays(out, pos, wrap64(seconds), wrap64(blocks))
    start = at + CALL_HEADER
    return copy_range(src, start, at + call_length(src, at), out, end)
