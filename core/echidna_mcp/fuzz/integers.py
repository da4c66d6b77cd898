"""Integers of the ABI as 256-bit words: ranges, sign, and the values worth trying."""

from __future__ import annotations

from echidna_mcp.abi.type_program import KIND_INT
from echidna_mcp.fuzz.rng import next64, random_bits
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    MASK256,
    Words,
    u64,
    u256,
    wrap256,
)


@inline
def least(left: u64, right: u64) -> u64:
    """Return the smaller of two numbers."""
    if left < right:
        return left
    return right


@inline
def low_bits(bits: u64) -> u256:
    """Return a mask of the lowest `bits` bits, 1 to 256."""
    return MASK256 >> (256 - bits)


@inline
def high_bytes(size: u64) -> u256:
    """Return a mask of the `size` bytes, 1 to 32, at which `bytesN` keeps its data."""
    return wrap256(MASK256 << (256 - size * 8))


def wrap_integer(kind: u64, bits: u64, value: u256) -> u256:
    """Return the canonical word of `value` modulo 2^bits, sign-extended for `intN`."""
    mask = low_bits(bits)
    if kind == KIND_INT and (value >> (bits - 1)) & 1 != 0:
        return value | (MASK256 ^ mask)
    return value & mask


def magnitude(kind: u64, value: u256) -> u256:
    """Return the absolute value of a `uintN` or `intN` word."""
    if kind == KIND_INT and value >> 255 != 0:
        return wrap256(0 - value)
    return value


def extreme_integer(kind: u64, bits: u64, choice: u64) -> u256:
    """Return one of the eight values, chosen by `choice` below 8, at the range's ends.

    For `uintN` they are max, max - 1, 0, 1 and the four around 2^(N-1); for `intN` the
    same bits read -1, -2, 0, 1, max - 1, max, min and min + 1.
    """
    half = low_bits(bits) >> 1
    if choice < 2:
        return wrap256(choice)
    if choice < 4:
        return wrap_integer(kind, bits, MASK256 - wrap256(choice - 2))
    return wrap_integer(kind, bits, half + wrap256(choice - 4) - 1)


def synthesize_integer(rng: Words, kind: u64, bits: u64) -> u256:
    """Return an integer of any size, without a dictionary.

    In 16: 4 uniform over the range, 5 small, 2 a power of two or next to one, 3 of
    uniform width, 2 extremes. A small one has 0 to 10 bits, each width as often, so
    that indices and flags come often. Small ones, powers and widths of `intN` are
    negative half of the time.
    """
    draw = next64(rng)
    choice = draw & 15
    detail = (draw >> 8) & 0xFFFFFFFF
    if choice < 4:
        return wrap_integer(kind, bits, random_bits(rng, bits))
    if choice > 13:
        return extreme_integer(kind, bits, detail & 7)
    value = wrap256((detail & 1023) >> ((detail >> 10) % 11))
    if choice > 10:
        value = random_bits(rng, bits) >> (detail % bits)
    elif choice > 8:
        power = wrap256(1) << (detail % bits)
        value = power + wrap256((detail >> 16) % 3) - 1
    if kind == KIND_INT and draw >> 63 != 0:
        value = wrap256(0 - value)
    return wrap_integer(kind, bits, value)
