"""Walking tapes: where a value ends, how small it can be, whether it is canonical."""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_ARRAY,
    KIND_ARRAY_FIXED,
    KIND_BOOL,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_FUNCTION,
    KIND_STRING,
    KIND_TUPLE,
    NODE_ARG,
    NODE_HEAD,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.integers import high_bytes, wrap_integer
from echidna_mcp.fuzz.layout import MAX_CALL_BYTES
from echidna_mcp.kernel.language.memory import (
    MASK64,
    Bytes,
    Words,
    clear,
    load256,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)

FAIL = MASK64
"""Returned instead of an end position by functions that can refuse."""


def padded(size: u64) -> u64:
    """Return `size` rounded up to whole 32-byte words."""
    return (size + 31) >> 5 << 5


def length_at(tape: Bytes, at: u64) -> u64:
    """Return the length word of a canonical `T[]`, `bytes` or `string`."""
    return wrap64(load256(tape, at))


def seal_bytes(tape: Bytes, pos: u64, size: u64) -> u64:
    """Finish `bytes` whose data stand after its length word; return its end.

    Writes the length word at `pos` and the zero padding after the data.
    """
    store256(tape, pos, wrap256(size))
    end = pos + 32 + padded(size)
    clear(tape, pos + 32 + size, end - (pos + 32 + size))
    return end


def skip(types: Words, node: u64, tape: Bytes, at: u64) -> u64:
    """Return where the canonical value of type `node` at `at` ends."""
    head = types[node + NODE_HEAD]
    if head != 0:
        return at + head
    kind = types[node + NODE_KIND]
    if kind == KIND_BYTES or kind == KIND_STRING:
        return at + 32 + padded(length_at(tape, at))
    if kind == KIND_ARRAY:
        child = node + NODE_WORDS
        return skip_many(types, child, tape, at + 32, length_at(tape, at))
    if kind == KIND_ARRAY_FIXED:
        return skip_many(types, node + NODE_WORDS, tape, at, types[node + NODE_ARG])
    end = at
    child = node + NODE_WORDS
    for _ in range(types[node + NODE_ARG]):
        end = skip(types, child, tape, end)
        child = types[child + NODE_NEXT]
    return end


def skip_many(types: Words, node: u64, tape: Bytes, at: u64, count: u64) -> u64:
    """Return where `count` values of type `node` end that begin at `at`."""
    head = types[node + NODE_HEAD]
    if head != 0:
        return at + head * count
    end = at
    for _ in range(count):
        end = skip(types, node, tape, end)
    return end


def minimum(types: Words, node: u64) -> u64:
    """Return the size in bytes of the shortest tape of type `node`."""
    head = types[node + NODE_HEAD]
    if head != 0:
        return head
    kind = types[node + NODE_KIND]
    if kind == KIND_ARRAY_FIXED:
        return types[node + NODE_ARG] * minimum(types, node + NODE_WORDS)
    if kind != KIND_TUPLE:
        return 32
    total = 0
    child = node + NODE_WORDS
    for _ in range(types[node + NODE_ARG]):
        total = total + minimum(types, child)
        child = types[child + NODE_NEXT]
    return total


def leaf_fits(types: Words, node: u64, word: u256) -> u64:
    """Return 1 if `word` is canonical for the one-word type `node`, else 0."""
    kind = types[node + NODE_KIND]
    good = word
    if kind == KIND_ADDRESS:
        good = wrap_integer(kind, 160, word)
    elif kind == KIND_BOOL:
        good = word & 1
    elif kind == KIND_BYTES_FIXED or kind == KIND_FUNCTION:
        good = word & high_bytes(types[node + NODE_ARG])
    else:
        good = wrap_integer(kind, types[node + NODE_ARG], word)
    if word == good:
        return 1
    return 0


def is_canonical(types: Words, node: u64, tape: Bytes, at: u64, end: u64) -> u64:
    """Return 1 if the bytes from `at` to `end` are one canonical value, else 0.

    The bytes may be anything; nothing outside of `at` to `end` is read.
    """
    if check(types, node, tape, at, end) == end:
        return 1
    return 0


def check(types: Words, node: u64, tape: Bytes, at: u64, limit: u64) -> u64:
    """Return where the value at `at` ends, or `FAIL` if it is not canonical.

    The bytes may be anything; nothing at or after `limit` is read.
    """
    kind = types[node + NODE_KIND]
    if kind == KIND_TUPLE:
        return check_members(types, node, tape, at, limit)
    if kind == KIND_ARRAY_FIXED:
        count = types[node + NODE_ARG]
        return check_elements(types, node + NODE_WORDS, tape, at, limit, count)
    if limit < at + 32:
        return FAIL
    word = load256(tape, at)
    if kind == KIND_ARRAY:
        if word > MAX_CALL_BYTES:
            return FAIL
        child = node + NODE_WORDS
        return check_elements(types, child, tape, at + 32, limit, wrap64(word))
    if kind == KIND_BYTES or kind == KIND_STRING:
        return check_bytes(tape, at, limit, word)
    if leaf_fits(types, node, word) == 0:
        return FAIL
    return at + 32


def check_bytes(tape: Bytes, at: u64, limit: u64, length: u256) -> u64:
    """Return where `bytes` of this length end, or `FAIL`; see `check`."""
    if length > MAX_CALL_BYTES:
        return FAIL
    size = wrap64(length)
    end = at + 32 + padded(size)
    if end > limit:
        return FAIL
    used = size & 31
    if used != 0:
        last = load256(tape, end - 32)
        if last & high_bytes(used) != last:
            return FAIL
    return end


def check_elements(
    types: Words, node: u64, tape: Bytes, at: u64, limit: u64, count: u64
) -> u64:
    """Return where `count` values of type `node` end, or `FAIL`; see `check`."""
    end = at
    for _ in range(count):
        end = check(types, node, tape, end, limit)
        if end == FAIL:
            return FAIL
    return end


def check_members(types: Words, node: u64, tape: Bytes, at: u64, limit: u64) -> u64:
    """Return where the members of a tuple end, or `FAIL`; see `check`."""
    end = at
    child = node + NODE_WORDS
    for _ in range(types[node + NODE_ARG]):
        end = check(types, child, tape, end, limit)
        if end == FAIL:
            return FAIL
        child = types[child + NODE_NEXT]
    return end
