"""Numbered simpler forms of a value.

Strictly simpler means, in this order: fewer bytes of tape, smaller lengths of `bytes`
and `string`, smaller leaves (a negative integer is bigger than the positive one of the
same size; addresses are 0, then the senders in order, then all others; `bytes` of any
kind count their bytes that are not zero). Every candidate is, so descent ends.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_ARRAY,
    KIND_BYTES,
    KIND_BYTES_FIXED,
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
from echidna_mcp.fuzz.ladders.chunks import (
    SIZE_BITS,
    SIZE_MASK,
    chunk_at,
    chunk_slots,
    step_at,
    step_slots,
)
from echidna_mcp.fuzz.ladders.near import near_at, near_slots
from echidna_mcp.fuzz.records import copy_range
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import length_at, seal_bytes, skip
from echidna_mcp.kernel.language.memory import (
    MASK64,
    Bytes,
    clear,
    copy,
    load256,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)

NO_MORE = MASK64
"""There is no candidate of that number, nor of any higher one."""
UNCHANGED = MASK64 - 1
"""The candidate of that number equals its source."""


def sender_rank(tables: FuzzTables, address: u256) -> u64:
    """Return the index of a sender; the number of senders for any other address."""
    for index in range(tables.sender_count):
        if load256(tables.senders, index * 32) == address:
            return index
    return tables.sender_count


def address_slots(tables: FuzzTables, address: u256) -> u64:
    """Return how many simpler addresses there are: 0 and the senders before."""
    if address == 0:
        return 0
    return 1 + sender_rank(tables, address)


def shrink_address(tables: FuzzTables, slot: u64) -> u256:
    """Return simpler address `slot`: 0, then the senders in order."""
    if slot == 0:
        return wrap256(0)
    return load256(tables.senders, (slot - 1) * 32)


def number_slots(tables: FuzzTables, value: u256) -> u64:
    """Return the number of candidates for a number that is not negative."""
    if tables.coupled != 0:
        return near_slots(value)
    return step_slots(value)


def number_at(tables: FuzzTables, value: u256, slot: u64) -> u256:
    """Return candidate `slot` of a number, which may be the number itself."""
    if tables.coupled != 0:
        return near_at(value, slot)
    return step_at(value, slot)


def leaf_slots(tables: FuzzTables, node: u64, word: u256) -> u64:
    """Return the number of candidates for a word of type `node`."""
    kind = tables.types[node + NODE_KIND]
    if kind == KIND_UINT:
        return number_slots(tables, word)
    if kind == KIND_INT:
        return number_slots(tables, magnitude(kind, word)) + wrap64(word >> 255)
    if kind == KIND_ADDRESS:
        return address_slots(tables, word)
    if word == 0:
        return 0
    if kind == KIND_BYTES_FIXED:
        return 1 + chunk_slots(tables.types[node + NODE_ARG])
    return 1


def shrink_integer(tables: FuzzTables, bits: u64, word: u256, slot: u64) -> u256:
    """Return candidate `slot` of an `intN`: nearer to 0, at last the positive one."""
    size = magnitude(KIND_INT, word)
    if slot < number_slots(tables, size):
        size = number_at(tables, size, slot)
        if word >> 255 != 0:
            return wrap256(0 - size)
        return size
    if wrap_integer(KIND_INT, bits, size) != size or size >> 255 != 0:
        return word
    return size


def shrink_fixed_bytes(size: u64, word: u256, slot: u64) -> u256:
    """Return candidate `slot` of a `bytesN`: all zero, then chunks of zeros."""
    if slot == 0:
        return wrap256(0)
    chunk = chunk_at(size, slot - 1)
    result = word
    for index in range(chunk & SIZE_MASK):
        place = (chunk >> SIZE_BITS) + index
        byte = (word >> (248 - place * 8)) & 255
        result = result ^ (byte << (248 - place * 8))
    return result


def shrink_leaf(tables: FuzzTables, node: u64, word: u256, slot: u64) -> u256:
    """Return candidate `slot` of a word of type `node`."""
    kind = tables.types[node + NODE_KIND]
    if kind == KIND_UINT:
        return number_at(tables, word, slot)
    if kind == KIND_INT:
        return shrink_integer(tables, tables.types[node + NODE_ARG], word, slot)
    if kind == KIND_ADDRESS:
        return shrink_address(tables, slot)
    if kind == KIND_BYTES_FIXED:
        return shrink_fixed_bytes(tables.types[node + NODE_ARG], word, slot)
    return wrap256(0)


def run_slots(count: u64) -> u64:
    """Return the number of ways to take all or a chunk from a run."""
    if count == 0:
        return 0
    return 1 + chunk_slots(count)


def run_cut(count: u64, slot: u64) -> u64:
    """Return what way number `slot` takes from a run, packed like a chunk."""
    if slot == 0:
        return count
    return chunk_at(count, slot - 1)


def shrink_bytes(src: Bytes, at: u64, slot: u64, out: Bytes, pos: u64) -> u64:
    """Write candidate `slot` of `bytes`: parts taken away, then parts made zero."""
    size = length_at(src, at)
    data = at + 32
    target = pos + 32
    if slot < run_slots(size):
        cut = run_cut(size, slot)
        start = cut >> SIZE_BITS
        resume = start + (cut & SIZE_MASK)
        end = copy_range(src, data, data + start, out, target)
        end = copy_range(src, data + resume, data + size, out, end)
        return seal_bytes(out, pos, end - target)
    cut = run_cut(size, slot - run_slots(size))
    start = cut >> SIZE_BITS
    if is_zero(src, data + start, cut & SIZE_MASK) != 0:
        return UNCHANGED
    copy(out, target, src, data, size)
    clear(out, target + start, cut & SIZE_MASK)
    return seal_bytes(out, pos, size)


def is_zero(memory: Bytes, at: u64, size: u64) -> u64:
    """Return 1 if all of the bytes are zero, else 0."""
    for index in range(size):
        if memory[at + index] != 0:
            return 0
    return 1


def shrink_array(
    tables: FuzzTables, node: u64, src: Bytes, at: u64, slot: u64, out: Bytes, pos: u64
) -> u64:
    """Write candidate `slot` of a `T[]`: elements taken away, then each simpler."""
    count = length_at(src, at)
    child = node + NODE_WORDS
    slots = run_slots(count)
    if slot >= slots:
        copy(out, pos, src, at, 32)
        return shrink_parts(
            tables, node, count, src, at + 32, slot - slots, out, pos + 32
        )
    cut = run_cut(count, slot)
    end = skip(tables.types, node, src, at)
    taken = cut & SIZE_MASK
    store256(out, pos, wrap256(count - taken))
    first = cut >> SIZE_BITS
    return delete_elements(
        tables.types, child, src, at + 32, end, first, taken, out, pos + 32
    )


def parts_slots(tables: FuzzTables, node: u64, count: u64, src: Bytes, at: u64) -> u64:
    """Return the number of candidates in the `count` parts of an array or tuple."""
    types = tables.types
    slots = 0
    start = at
    child = node + NODE_WORDS
    for _ in range(count):
        slots = slots + value_slots(tables, child, src, start)
        start = skip(types, child, src, start)
        if types[node + NODE_KIND] == KIND_TUPLE:
            child = types[child + NODE_NEXT]
    return slots


def shrink_parts(
    tables: FuzzTables,
    node: u64,
    count: u64,
    src: Bytes,
    at: u64,
    slot: u64,
    out: Bytes,
    pos: u64,
) -> u64:
    """Write the parts of an array or tuple with candidate `slot` of them applied."""
    types = tables.types
    rest = slot
    end = pos
    start = at
    child = node + NODE_WORDS
    shrunk = 0
    for _ in range(count):
        after = skip(types, child, src, start)
        slots = 0
        if shrunk == 0:
            slots = value_slots(tables, child, src, start)
        if rest < slots:
            shrunk = 1
            end = shrink_value(tables, child, src, start, rest, out, end)
            if end == UNCHANGED:
                return UNCHANGED
        else:
            rest = rest - slots
            end = copy_range(src, start, after, out, end)
        start = after
        if types[node + NODE_KIND] == KIND_TUPLE:
            child = types[child + NODE_NEXT]
    return end


def value_slots(tables: FuzzTables, node: u64, src: Bytes, at: u64) -> u64:
    """Return the number of candidates for the value of type `node` at `at`."""
    kind = tables.types[node + NODE_KIND]
    if kind < KIND_BYTES:
        return leaf_slots(tables, node, load256(src, at))
    if kind == KIND_BYTES or kind == KIND_STRING:
        return 2 * run_slots(length_at(src, at))
    if kind == KIND_ARRAY:
        count = length_at(src, at)
        return run_slots(count) + parts_slots(tables, node, count, src, at + 32)
    return parts_slots(tables, node, tables.types[node + NODE_ARG], src, at)


def shrink_value(
    tables: FuzzTables, node: u64, src: Bytes, at: u64, slot: u64, out: Bytes, pos: u64
) -> u64:
    """Write candidate `slot`, below `value_slots`, of the value at `at` to `pos`.

    Returns:
        Its end, or `UNCHANGED`.
    """
    kind = tables.types[node + NODE_KIND]
    if kind < KIND_BYTES:
        word = load256(src, at)
        simpler = shrink_leaf(tables, node, word, slot)
        if simpler == word:
            return UNCHANGED
        store256(out, pos, simpler)
        return pos + 32
    if kind == KIND_BYTES or kind == KIND_STRING:
        return shrink_bytes(src, at, slot, out, pos)
    if kind == KIND_ARRAY:
        return shrink_array(tables, node, src, at, slot, out, pos)
    count = tables.types[node + NODE_ARG]
    return shrink_parts(tables, node, count, src, at, slot, out, pos)
