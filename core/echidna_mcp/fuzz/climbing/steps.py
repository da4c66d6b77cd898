"""Steps: how far a number must go so that what depends on it becomes what is wanted."""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.comparisons import SIGN
from echidna_mcp.fuzz.integers import low_bits
from echidna_mcp.fuzz.ladders.chunks import bit_length
from echidna_mcp.kernel.language.memory import (
    MASK256,
    u64,
    u256,
    wrap64,
    wrap256,
)

WIDTHS = 6
"""How many moduli there are: 2^256, 2^128, 2^64, 2^32, 2^16, 2^8."""


def width_of(number: u64) -> u64:
    """Return the bits of a modulus, by its number below `WIDTHS`."""
    if number == 0:
        return wrap64(256)
    return wrap64(256) >> number


def trailing_zeros(word: u256) -> u64:
    """Return how many zero bits stand behind the last bit that is set; 256 for 0."""
    if word == 0:
        return wrap64(256)
    return bit_length(word & wrap256(0 - word)) - 1


def inverse(odd: u256) -> u256:
    """Return the inverse of an odd number modulo 2^256 (Newton's iteration)."""
    # Right in 3 bits; each turn doubles them.
    result = odd
    for _ in range(7):
        result = wrap256(result * wrap256(2 - wrap256(odd * result)))
    return result


def can_solve(slope: u256, gap: u256, bits: u64) -> u64:
    """Return 1 if `n * slope == gap` modulo 2^bits for a number n, else 0."""
    mask = low_bits(bits)
    if slope & mask == 0:
        return 0
    zeros = trailing_zeros(slope & mask)
    if gap & mask & (MASK256 ^ wrap256(MASK256 << zeros)) != 0:
        return 0
    return 1


def solve(slope: u256, gap: u256, bits: u64) -> u256:
    """Return the least such n; `can_solve` must have said that there is one."""
    mask = low_bits(bits)
    zeros = trailing_zeros(slope & mask)
    times = wrap256(((gap & mask) >> zeros) * inverse((slope & mask) >> zeros))
    return times & low_bits(bits - zeros)


def free_bits(slope: u256, bits: u64) -> u64:
    """Return up to which power of two `solve` is certain: n + 2^free solves it, too."""
    return bits - trailing_zeros(slope & low_bits(bits))


def secant(slope: u256, gap: u256) -> u256:
    """Return `gap / slope` as two's complement numbers, rounded away from 0."""
    up = slope
    sign = wrap64(0)
    if slope >= SIGN:
        up = wrap256(0 - slope)
        sign = sign ^ 1
    far = gap
    if gap >= SIGN:
        far = wrap256(0 - gap)
        sign = sign ^ 1
    times = far // up
    if times * up != far:
        times = times + 1
    if sign != 0:
        return wrap256(0 - times)
    return times
