"""Changed values and changed calls.

Every function here reads a canonical value at `at` and writes another canonical value
of the same type at `pos`, whose end it returns. `limit` is the end of the room, which
is never smaller than the value that is read. A change that does not fit leaves the
value as it is.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ARRAY,
    KIND_ARRAY_FIXED,
    KIND_BYTES,
    KIND_STRING,
    NODE_ARG,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.elements import (
    delete_elements,
    overwrite_element,
    repeat_element,
    swap_elements,
)
from echidna_mcp.fuzz.generate import generate_value
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.layout import MAX_ARRAY_LENGTH
from echidna_mcp.fuzz.leaf import dictionary_word, mutate_leaf
from echidna_mcp.fuzz.records import copy_range
from echidna_mcp.fuzz.rng import below, next64
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.fuzz.tape import length_at, minimum, seal_bytes, skip, skip_many
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


def mutate_bytes(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write a changed `bytes` or `string`.

    In 16: 6 change bytes in place, 3 delete one, 2 cut the end off, 3 repeat a byte, 2
    are new.
    """
    size = length_at(src, at)
    choice = below(rng, 16)
    if size == 0 or choice > 13:
        return generate_value(tables, rng, node, out, pos, limit, depth)
    index = below(rng, size)
    data = at + 32
    target = pos + 32
    if choice < 6:
        copy(out, target, src, data, size)
        change_bytes(tables, rng, choice, out, target, size, index)
        return seal_bytes(out, pos, size)
    if choice < 9:
        end = copy_range(src, data, data + index, out, target)
        copy(out, end, src, data + index + 1, size - index - 1)
        return seal_bytes(out, pos, size - 1)
    if choice < 11:
        copy(out, target, src, data, index)
        return seal_bytes(out, pos, index)
    times = 1 + below(rng, least(size, MAX_ARRAY_LENGTH))
    times = least(times, limit - target - size)
    end = copy_range(src, data, data + index, out, target)
    for _ in range(times):
        out[end] = src[data + index]
        end = end + 1
    copy(out, end, src, data + index, size - index)
    return seal_bytes(out, pos, size + times)


def change_bytes(
    tables: FuzzTables,
    rng: Words,
    choice: u64,
    out: Bytes,
    start: u64,
    size: u64,
    index: u64,
) -> None:
    """Change the data of `bytes` in place at `index`, without changing their size.

    `choice` 0 or 1 writes a random byte, 2 flips a bit, 3 swaps two bytes, 4 and 5
    write a word of the dictionary as far as it fits.
    """
    at = start + index
    if choice < 2:
        out[at] = next64(rng) & 255
    elif choice == 2:
        out[at] = out[at] ^ (1 << (next64(rng) & 7))
    elif choice == 3 or tables.dictionary_count == 0:
        other = start + below(rng, size)
        byte = out[at]
        out[at] = out[other]
        out[other] = byte
    else:
        word = dictionary_word(tables, rng)
        for place in range(least(32, size - index)):
            out[at + place] = wrap64(word >> (248 - place * 8)) & 255


def mutate_element(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    src: Bytes,
    start: u64,
    end: u64,
    index: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write the elements from `start` to `end`, the one at `index` changed."""
    element = skip_many(tables.types, node, src, start, index)
    after = skip(tables.types, node, src, element)
    stop = copy_range(src, start, element, out, pos)
    # What follows the element has to fit behind whatever it becomes.
    room = limit - (end - after)
    stop = mutate_value(tables, rng, node, src, element, out, stop, room, depth + 1)
    return copy_range(src, after, end, out, stop)


def insert_element(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    src: Bytes,
    start: u64,
    end: u64,
    index: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write the elements from `start` to `end`, with a fresh one before `index`."""
    place = skip_many(tables.types, node, src, start, index)
    stop = copy_range(src, start, place, out, pos)
    # As above: the rest of the array is moved, not dropped.
    room = limit - (end - place)
    stop = generate_value(tables, rng, node, out, stop, room, depth + 1)
    return copy_range(src, place, end, out, stop)


def mutate_fixed_array(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write a changed `T[k]`: half an element, a quarter each swapped, overwritten."""
    types = tables.types
    count = types[node + NODE_ARG]
    child = node + NODE_WORDS
    end = skip(types, node, src, at)
    if count == 0:
        return pos
    choice = below(rng, 4)
    index = below(rng, count)
    if choice > 1:
        return mutate_element(
            tables, rng, child, src, at, end, index, out, pos, limit, depth
        )
    other = below(rng, count)
    if choice == 0:
        return swap_elements(types, child, src, at, end, index, other, out, pos)
    return overwrite_element(types, child, src, at, end, index, other, out, pos, limit)


def mutate_array(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write a changed `T[]`.

    In 16: 5 change an element, 2 insert one, 3 repeat one, 2 delete one, 2 swap two, 1
    cuts the end off, 1 is new.
    """
    types = tables.types
    child = node + NODE_WORDS
    count = length_at(src, at)
    end = skip(types, node, src, at)
    choice = below(rng, 16)
    # An empty array has no element to change, repeat or delete.
    if count == 0 or choice == 15:
        return generate_value(tables, rng, node, out, pos, limit, depth)
    if choice < 5:
        return grow_array(
            tables, rng, child, src, at, end, choice, out, pos, limit, depth
        )
    index = below(rng, count)
    start = at + 32
    target = pos + 32
    if choice < 8:
        cut = 1
        if choice == 5:
            cut = count - index
        store256(out, pos, wrap256(count - cut))
        return delete_elements(types, child, src, start, end, index, cut, out, target)
    copy(out, pos, src, at, 32)
    if choice < 10:
        other = below(rng, count)
        return swap_elements(types, child, src, start, end, index, other, out, target)
    return mutate_element(
        tables, rng, child, src, start, end, index, out, target, limit, depth
    )


def grow_array(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    src: Bytes,
    at: u64,
    end: u64,
    choice: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write a `T[]` with elements of type `node` and one or more elements more.

    `choice` 0 or 1 inserts a fresh element, another repeats one. An array that is as
    long as generation makes them, or that leaves no room, stays as it is.
    """
    types = tables.types
    count = length_at(src, at)
    start = at + 32
    target = pos + 32
    room = limit - pos - (end - at)
    index = below(rng, count)
    element = skip_many(types, node, src, start, index)
    size = skip(types, node, src, element) - element
    times = 1
    if choice < 2:
        # What a fresh one takes at least; generation keeps to the room by itself.
        size = minimum(types, node)
    else:
        times = 1 + below(rng, count)
    if count >= MAX_ARRAY_LENGTH or size > room:
        return copy_range(src, at, end, out, pos)
    if choice < 2:
        store256(out, pos, wrap256(count + 1))
        return insert_element(
            tables, rng, node, src, start, end, index, out, target, limit, depth
        )
    times = least(times, MAX_ARRAY_LENGTH - count)
    if size != 0:
        times = least(times, room // size)
    store256(out, pos, wrap256(count + times))
    return repeat_element(types, node, src, start, end, index, times, out, target)


def mutate_members(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write a tuple of which one member, chosen uniformly, is changed."""
    types = tables.types
    count = types[node + NODE_ARG]
    if count == 0:
        return pos
    child = node + NODE_WORDS
    start = at
    for _ in range(below(rng, count)):
        start = skip(types, child, src, start)
        child = types[child + NODE_NEXT]
    after = skip(types, child, src, start)
    end = skip(types, node, src, at)
    stop = copy_range(src, at, start, out, pos)
    room = limit - (end - after)
    stop = mutate_value(tables, rng, child, src, start, out, stop, room, depth)
    return copy_range(src, after, end, out, stop)


def mutate_value(
    tables: FuzzTables,
    rng: Words,
    node: u64,
    src: Bytes,
    at: u64,
    out: Bytes,
    pos: u64,
    limit: u64,
    depth: u64,
) -> u64:
    """Write a changed value of type `node` at `pos`; return its end.

    Args:
        depth: how many arrays the value stands inside.
    """
    kind = tables.types[node + NODE_KIND]
    if kind < KIND_BYTES:
        word = mutate_leaf(tables, rng, node, load256(src, at))
        store256(out, pos, word)
        return pos + 32
    if kind == KIND_BYTES or kind == KIND_STRING:
        return mutate_bytes(tables, rng, node, src, at, out, pos, limit, depth)
    if kind == KIND_ARRAY:
        return mutate_array(tables, rng, node, src, at, out, pos, limit, depth)
    if kind == KIND_ARRAY_FIXED:
        return mutate_fixed_array(tables, rng, node, src, at, out, pos, limit, depth)
    return mutate_members(tables, rng, node, src, at, out, pos, limit, depth)
