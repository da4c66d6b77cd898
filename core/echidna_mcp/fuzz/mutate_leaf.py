"""Changed values that take one word."""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_BOOL,
    KIND_BYTES_FIXED,
    KIND_INT,
    KIND_UINT,
    NODE_ARG,
    NODE_KIND,
)
from echidna_mcp.fuzz.integers import extreme_integer, magnitude, wrap_integer
from echidna_mcp.fuzz.leaf import dictionary_word, generate_leaf
from echidna_mcp.fuzz.rng import at_most, next64
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import Words, u64, u256, wrap256


def mutate_integer(
    tables: FuzzTables, rng: Words, kind: u64, bits: u64, value: u256
) -> u256:
    """Return a changed `uintN` or `intN`.

    In 16: 4 plus or minus up to 16, 3 plus or minus up to itself, 2 a flipped bit, 2 a
    constant, 1 negated, 1 doubled, 1 halved, 2 an extreme.
    """
    draw = next64(rng)
    choice = draw & 15
    detail = (draw >> 8) & 0xFFFFFFFF
    changed = value
    if choice < 7:
        delta = wrap256((detail & 15) + 1)
        if choice > 3:
            delta = at_most(rng, magnitude(kind, value))
        if draw >> 63 != 0:
            delta = wrap256(0 - delta)
        changed = wrap256(value + delta)
    elif choice < 9:
        changed = value ^ (wrap256(1) << (detail % bits))
    elif choice < 11 and tables.dictionary_count != 0:
        changed = dictionary_word(tables, rng)
    elif choice == 11:
        changed = wrap256(0 - value)
    elif choice == 12:
        changed = wrap256(value << 1)
    elif choice == 13:
        changed = value >> 1
    else:
        changed = extreme_integer(kind, bits, detail & 7)
    return wrap_integer(kind, bits, changed)


def mutate_fixed_bytes(tables: FuzzTables, rng: Words, node: u64, value: u256) -> u256:
    """Return a changed `bytesN`: a random byte, a flipped bit, two swapped bytes."""
    size = tables.types[node + NODE_ARG]
    draw = next64(rng)
    choice = draw & 7
    detail = (draw >> 8) & 0xFFFFFFFF
    shift = 256 - 8 * (1 + detail % size)
    if choice < 3:
        return value ^ (wrap256(detail >> 24) << shift)
    if choice < 5:
        return value ^ (wrap256(1) << (shift + ((detail >> 24) & 7)))
    if choice == 5:
        other = 256 - 8 * (1 + (detail >> 8) % size)
        difference = ((value >> shift) ^ (value >> other)) & 255
        if shift == other:
            return value
        return value ^ (difference << shift) ^ (difference << other)
    return generate_leaf(tables, rng, node)


def mutate_leaf(tables: FuzzTables, rng: Words, node: u64, value: u256) -> u256:
    """Return a changed word of any type that takes one word."""
    kind = tables.types[node + NODE_KIND]
    if kind == KIND_UINT or kind == KIND_INT:
        bits = tables.types[node + NODE_ARG]
        return mutate_integer(tables, rng, kind, bits, value)
    if kind == KIND_BOOL:
        return value ^ 1
    if kind == KIND_BYTES_FIXED:
        return mutate_fixed_bytes(tables, rng, node, value)
    return generate_leaf(tables, rng, node)
