"""Tapes to calldata and back (Solidity ABI specification v2).

A static value has the same bytes on a tape and in calldata. A dynamic one differs by
the offsets, which calldata has and a tape has not.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ARRAY,
    KIND_ARRAY_FIXED,
    KIND_BYTES,
    KIND_STRING,
    NODE_ARG,
    NODE_HEAD,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.layout import (
    CALL_HEADER,
    FLAG_EMPTY,
    FLAG_RAW,
    FUNCTION_FLAGS,
    FUNCTION_NODE,
    FUNCTION_SELECTOR,
    FUNCTION_WORDS,
    MAX_CALL_BYTES,
)
from echidna_mcp.fuzz.records import call_function, copy_range
from echidna_mcp.fuzz.tape import FAIL, check, check_bytes, length_at, skip
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    copy,
    load256,
    store256,
    u64,
    wrap64,
    wrap256,
)


def head_size(types: Words, node: u64) -> u64:
    """Return the bytes that a member of type `node` takes in its parent's head."""
    head = types[node + NODE_HEAD]
    if head != 0:
        return head
    return 32


def heads_size(types: Words, node: u64) -> u64:
    """Return the size of the head of the tuple `node`."""
    total = 0
    child = node + NODE_WORDS
    for _ in range(types[node + NODE_ARG]):
        total = total + head_size(types, child)
        child = types[child + NODE_NEXT]
    return total


def encoded_size(types: Words, node: u64, tape: Bytes, at: u64) -> u64:
    """Return the size in bytes of the ABI encoding of the value at `at`."""
    head = types[node + NODE_HEAD]
    if head != 0:
        return head
    kind = types[node + NODE_KIND]
    if kind == KIND_BYTES or kind == KIND_STRING:
        return skip(types, node, tape, at) - at
    if kind == KIND_ARRAY:
        child = node + NODE_WORDS
        count = length_at(tape, at)
        return 32 + elements_size(types, child, tape, at + 32, count)
    if kind == KIND_ARRAY_FIXED:
        return elements_size(types, node + NODE_WORDS, tape, at, types[node + NODE_ARG])
    total = 0
    start = at
    child = node + NODE_WORDS
    for _ in range(types[node + NODE_ARG]):
        total = total + encoded_size(types, child, tape, start)
        if types[child + NODE_HEAD] == 0:
            total = total + 32
        start = skip(types, child, tape, start)
        child = types[child + NODE_NEXT]
    return total


def elements_size(types: Words, node: u64, tape: Bytes, at: u64, count: u64) -> u64:
    """Return the size of the ABI encoding of `count` array elements."""
    head = types[node + NODE_HEAD]
    if head != 0:
        return head * count
    total = 0
    start = at
    for _ in range(count):
        total = total + 32 + encoded_size(types, node, tape, start)
        start = skip(types, node, tape, start)
    return total


def encode_calldata(
    types: Words, node: u64, tape: Bytes, at: u64, out: Bytes, pos: u64
) -> u64:
    """Write the ABI encoding of the value at `at` to `pos`; return its end.

    `encoded_size` tells how many bytes `out` must offer. For the parameters of a
    function the result is the calldata after the selector.
    """
    head = types[node + NODE_HEAD]
    if head != 0:
        copy(out, pos, tape, at, head)
        return pos + head
    kind = types[node + NODE_KIND]
    if kind == KIND_BYTES or kind == KIND_STRING:
        return copy_range(tape, at, skip(types, node, tape, at), out, pos)
    if kind == KIND_ARRAY:
        copy(out, pos, tape, at, 32)
        count = length_at(tape, at)
        child = node + NODE_WORDS
        return encode_elements(types, child, tape, at + 32, count, out, pos + 32)
    if kind == KIND_ARRAY_FIXED:
        count = types[node + NODE_ARG]
        return encode_elements(types, node + NODE_WORDS, tape, at, count, out, pos)
    return encode_members(types, node, tape, at, out, pos)


def encode_elements(
    types: Words, node: u64, tape: Bytes, at: u64, count: u64, out: Bytes, pos: u64
) -> u64:
    """Write `count` array elements, offsets first; return the end."""
    head = types[node + NODE_HEAD]
    if head != 0:
        return copy_range(tape, at, at + head * count, out, pos)
    start = at
    tail = pos + count * 32
    for index in range(count):
        store256(out, pos + index * 32, wrap256(tail - pos))
        tail = encode_calldata(types, node, tape, start, out, tail)
        start = skip(types, node, tape, start)
    return tail


def encode_members(
    types: Words, node: u64, tape: Bytes, at: u64, out: Bytes, pos: u64
) -> u64:
    """Write the members of a dynamic tuple, head and tail; return the end."""
    start = at
    head = pos
    tail = pos + heads_size(types, node)
    child = node + NODE_WORDS
    for _ in range(types[node + NODE_ARG]):
        if types[child + NODE_HEAD] != 0:
            head = encode_calldata(types, child, tape, start, out, head)
        else:
            store256(out, head, wrap256(tail - pos))
            tail = encode_calldata(types, child, tape, start, out, tail)
            head = head + 32
        start = skip(types, child, tape, start)
        child = types[child + NODE_NEXT]
    return tail


def encode_call(
    types: Words, functions: Words, sequence: Bytes, at: u64, out: Bytes, pos: u64
) -> u64:
    """Write the calldata of the call record at `at` to `pos`; return its end."""
    entry = call_function(sequence, at) * FUNCTION_WORDS
    flags = functions[entry + FUNCTION_FLAGS]
    tape = at + CALL_HEADER
    if flags & FLAG_EMPTY != 0:
        return pos
    if flags & FLAG_RAW != 0:
        start = tape + 32
        return copy_range(sequence, start, start + length_at(sequence, tape), out, pos)
    write_selector(out, pos, functions[entry + FUNCTION_SELECTOR])
    node = functions[entry + FUNCTION_NODE]
    return encode_calldata(types, node, sequence, tape, out, pos + 4)


def write_selector(out: Bytes, pos: u64, selector: u64) -> None:
    """Write the four bytes of a function selector."""
    out[pos] = selector >> 24 & 255
    out[pos + 1] = selector >> 16 & 255
    out[pos + 2] = selector >> 8 & 255
    out[pos + 3] = selector & 255


def decode_calldata(
    types: Words, node: u64, data: Bytes, at: u64, end: u64, tape: Bytes, pos: u64
) -> u64:
    """Write the tape of the ABI encoding from `at` to `end`; return the tape's end.

    Strict: the bytes must be exactly what `encode_calldata` would write. They may come
    from anybody; the work is bounded by their size.

    Returns:
        The end of the tape, which takes at most `MAX_CALL_BYTES - CALL_HEADER` bytes,
        or `FAIL`.
    """
    limit = pos + (MAX_CALL_BYTES - CALL_HEADER)
    stop = decode_value(types, node, data, at, end, tape, pos, limit)
    if stop == FAIL or at + encoded_size(types, node, tape, pos) != end:
        return FAIL
    return stop


def decode_value(
    types: Words,
    node: u64,
    data: Bytes,
    at: u64,
    end: u64,
    tape: Bytes,
    pos: u64,
    limit: u64,
) -> u64:
    """Decode one value up to `end` in the data and `limit` on the tape, or `FAIL`."""
    head = types[node + NODE_HEAD]
    kind = types[node + NODE_KIND]
    if head != 0:
        if at + head > end or pos + head > limit:
            return FAIL
        copy(tape, pos, data, at, head)
        return check(types, node, tape, pos, pos + head)
    if kind == KIND_ARRAY_FIXED:
        count = types[node + NODE_ARG]
        child = node + NODE_WORDS
        return decode_elements(types, child, data, at, end, tape, pos, limit, count)
    if kind != KIND_ARRAY and kind != KIND_BYTES and kind != KIND_STRING:
        return decode_members(types, node, data, at, end, tape, pos, limit)
    if at + 32 > end or pos + 32 > limit:
        return FAIL
    length = load256(data, at)
    if kind != KIND_ARRAY:
        stop = check_bytes(data, at, end, length)
        if stop == FAIL or pos + (stop - at) > limit:
            return FAIL
        return copy_range(data, at, stop, tape, pos)
    if length > MAX_CALL_BYTES:
        return FAIL
    store256(tape, pos, length)
    return decode_elements(
        types,
        node + NODE_WORDS,
        data,
        at + 32,
        end,
        tape,
        pos + 32,
        limit,
        wrap64(length),
    )


def decode_elements(
    types: Words,
    node: u64,
    data: Bytes,
    at: u64,
    end: u64,
    tape: Bytes,
    pos: u64,
    limit: u64,
    count: u64,
) -> u64:
    """Decode `count` array elements; see `decode_value`."""
    head = types[node + NODE_HEAD]
    if at + head_size(types, node) * count > end:
        return FAIL
    stop = pos
    tail = at + count * 32
    for index in range(count):
        start = stop
        if head != 0:
            stop = decode_value(
                types, node, data, at + index * head, end, tape, start, limit
            )
        else:
            if load256(data, at + index * 32) != wrap256(tail - at):
                return FAIL
            stop = decode_value(types, node, data, tail, end, tape, start, limit)
        if stop == FAIL:
            return FAIL
        if head == 0:
            tail = tail + encoded_size(types, node, tape, start)
    return stop


def decode_members(
    types: Words,
    node: u64,
    data: Bytes,
    at: u64,
    end: u64,
    tape: Bytes,
    pos: u64,
    limit: u64,
) -> u64:
    """Decode the members of a dynamic tuple; see `decode_value`."""
    head = at
    tail = at + heads_size(types, node)
    if tail > end:
        return FAIL
    stop = pos
    child = node + NODE_WORDS
    for _ in range(types[node + NODE_ARG]):
        start = stop
        if types[child + NODE_HEAD] != 0:
            stop = decode_value(types, child, data, head, end, tape, start, limit)
        else:
            if load256(data, head) != wrap256(tail - at):
                return FAIL
            stop = decode_value(types, child, data, tail, end, tape, start, limit)
        if stop == FAIL:
            return FAIL
        head = head + head_size(types, child)
        if types[child + NODE_HEAD] == 0:
            tail = tail + encoded_size(types, child, tape, start)
        child = types[child + NODE_NEXT]
    return stop
