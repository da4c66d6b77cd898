"""Cutting and pasting the elements of arrays.

A run of elements is given by its type `node` and the positions `start` and `end`
of its tape. Every function writes another run at `pos` and returns its end; the length
word of a `T[]` is the caller's affair.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ARRAY,
    KIND_BYTES,
    KIND_TUPLE,
    KIND_UINT,
    NODE_ARG,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.records import copy_range
from echidna_mcp.fuzz.tape import length_at, seal_bytes, skip, skip_many
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    load256,
    store256,
    u64,
    wrap256,
)


def delete_elements(
    types: Words,
    node: u64,
    src: Bytes,
    start: u64,
    end: u64,
    first: u64,
    count: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the run without the `count` elements from index `first` on."""
    cut = skip_many(types, node, src, start, first)
    resume = skip_many(types, node, src, cut, count)
    stop = copy_range(src, start, cut, out, pos)
    return copy_range(src, resume, end, out, stop)


def swap_elements(
    types: Words,
    node: u64,
    src: Bytes,
    start: u64,
    end: u64,
    left: u64,
    right: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the run with the elements at two indices exchanged."""
    low = least(left, right)
    distance = left + right - low - low
    if distance == 0:
        return copy_range(src, start, end, out, pos)
    first = skip_many(types, node, src, start, low)
    first_end = skip(types, node, src, first)
    second = skip_many(types, node, src, first, distance)
    second_end = skip(types, node, src, second)
    stop = copy_range(src, start, first, out, pos)
    stop = copy_range(src, second, second_end, out, stop)
    stop = copy_range(src, first_end, second, out, stop)
    stop = copy_range(src, first, first_end, out, stop)
    return copy_range(src, second_end, end, out, stop)


def repeat_element(
    types: Words,
    node: u64,
    src: Bytes,
    start: u64,
    end: u64,
    index: u64,
    times: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the run with `times` more copies of the element at `index`."""
    element = skip_many(types, node, src, start, index)
    after = skip(types, node, src, element)
    stop = copy_range(src, start, after, out, pos)
    for _ in range(times):
        stop = copy_range(src, element, after, out, stop)
    return copy_range(src, after, end, out, stop)


def overwrite_element(
    types: Words,
    node: u64,
    src: Bytes,
    start: u64,
    end: u64,
    index: u64,
    model: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
) -> u64:
    """Write the run with the element at `index` replaced by the one at `model`.

    Leaves the run as it is if it would end after `limit`.
    """
    element = skip_many(types, node, src, start, index)
    after = skip(types, node, src, element)
    pattern = skip_many(types, node, src, start, model)
    pattern_end = skip(types, node, src, pattern)
    size = (element - start) + (pattern_end - pattern) + (end - after)
    if pos + size > limit:
        return copy_range(src, start, end, out, pos)
    stop = copy_range(src, start, element, out, pos)
    stop = copy_range(src, pattern, pattern_end, out, stop)
    return copy_range(src, after, end, out, stop)


def cut_lengths(
    types: Words,
    node: u64,
    src: Bytes,
    at: u64,
    length: u64,
    first: u64,
    count: u64,
    counted: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the value of type `node` at `at` with everything of one length cut.

    Each `T[]`, `bytes` and `string` of this length loses the `count` elements or bytes
    from index `first` on. If `counted` is not 0, each `uintN` that is `length` becomes
    as much less.
    """
    kind = types[node + NODE_KIND]
    if kind == KIND_UINT and counted != 0 and load256(src, at) == wrap256(length):
        store256(out, pos, wrap256(length - count))
        return pos + 32
    if kind < KIND_ARRAY:
        if kind < KIND_BYTES or length_at(src, at) != length:
            return copy_range(src, at, skip(types, node, src, at), out, pos)
        data = at + 32
        end = copy_range(src, data, data + first, out, pos + 32)
        end = copy_range(src, data + first + count, data + length, out, end)
        return seal_bytes(out, pos, length - count)
    parts = types[node + NODE_ARG]
    start = at
    end = pos
    gone = 0
    if kind == KIND_ARRAY:
        parts = length_at(src, at)
        if parts == length:
            gone = count
        store256(out, pos, wrap256(parts - gone))
        start = at + 32
        end = pos + 32
    child = node + NODE_WORDS
    for index in range(parts):
        if index < first or index >= first + gone:
            end = cut_lengths(
                types, child, src, start, length, first, count, counted, out, end
            )
        start = skip(types, child, src, start)
        if kind == KIND_TUPLE:
            child = types[child + NODE_NEXT]
    return end
