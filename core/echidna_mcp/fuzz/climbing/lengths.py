"""Calls with another length of an array, of `bytes` or of a `string`."""

from __future__ import annotations

from echidna_mcp.abi.type_program import KIND_ARRAY, NODE_KIND, NODE_WORDS
from echidna_mcp.fuzz.climbing.places import PLACE_AT, PLACE_NODE
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.layout import MAX_ARRAY_LENGTH, MAX_CALL_BYTES
from echidna_mcp.fuzz.records import copy_range, plain_length, seal_call
from echidna_mcp.fuzz.tape import (
    FAIL,
    length_at,
    minimum,
    padded,
    seal_bytes,
    skip,
    skip_many,
)
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    clear,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)

LONGEST_DATA = 128
"""Bytes of `bytes` and `string`."""


def resize(
    types: Words,
    places: Words,
    row: u64,
    number: u256,
    record: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the call at `at` with another length to `pos`; return its end, or `FAIL`.

    What is added to an array are copies of its last element, or the smallest values;
    to `bytes`, zeros.

    Args:
        types: the type program.
        places: the list.
        row: where in it the length stands.
        number: the length that it is to have.
        record: holds the call.
        at: a byte offset.
        out: another buffer.
        pos: a byte offset.
    """
    node = places[row + PLACE_NODE]
    is_array = wrap64(0)
    most = wrap64(LONGEST_DATA)
    if types[node + NODE_KIND] == KIND_ARRAY:
        is_array = 1
        most = MAX_ARRAY_LENGTH
    if number > wrap256(most):
        return FAIL
    wanted = wrap64(number)
    where = at + places[row + PLACE_AT]
    start = where + 32
    old = length_at(record, where)
    rest = skip(types, node, record, where)
    stop = at + plain_length(record, at)
    end = copy_range(record, at, start, out, pos)
    if is_array == 0:
        if end + padded(wanted) + stop - rest - pos > MAX_CALL_BYTES:
            return FAIL
        kept = least(old, wanted)
        copy_range(record, start, start + kept, out, end)
        clear(out, end + kept, wanted - kept)
        end = seal_bytes(out, end - 32, wanted)
    else:
        child = node + NODE_WORDS
        kept = least(old, wanted)
        last = start
        after = start
        if kept != 0:
            last = skip_many(types, child, record, start, kept - 1)
            after = skip(types, child, record, last)
        size = after - last
        if size == 0:
            size = minimum(types, child)
        added = wanted - kept
        if after - at + added * size + stop - rest > MAX_CALL_BYTES:
            return FAIL
        store256(out, end - 32, wrap256(wanted))
        end = copy_range(record, start, after, out, end)
        for _ in range(added):
            if after != last:
                end = copy_range(record, last, after, out, end)
            else:
                clear(out, end, size)
                end = end + size
    end = copy_range(record, rest, stop, out, end)
    return seal_call(record, at, out, pos, end)
