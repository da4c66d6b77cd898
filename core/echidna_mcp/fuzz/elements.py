"""Cutting and pasting the elements of arrays.

A run of elements is given by its type `node` and the positions `start` and `end`
of its tape. Every function writes another run at `pos` and returns its end; the length
word of a `T[]` is the caller's affair.
"""

from __future__ import annotations

from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.records import copy_range
from echidna_mcp.fuzz.tape import skip, skip_many
from echidna_mcp.kernel.language.memory import Bytes, Words, u64


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
