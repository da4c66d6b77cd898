"""The prime field of the curve BN254 (EIP-196), and its quadratic extension.

Numbers of the field are in Montgomery's form: x stands as x * 2^256 modulo `PRIME`.
Those of the extension are pairs, x + y i with i^2 = -1: 64 bytes of a buffer `f`, in
which functions take places for what they read and for the result. A result may take
the place of an operand.
"""

from __future__ import annotations

from typing import Final

from echidna_mcp.kernel.language.memory import (
    Bytes,
    copy,
    peek256,
    poke256,
    u64,
    u256,
    wrap256,
    wrap512,
)

PRIME: Final = (
    21888242871839275222246405745257275088696311157297823662689037894645226208583
)
NEGATED_INVERSE: Final = -pow(PRIME, -1, 1 << 256) % (1 << 256)
ONE: Final = (1 << 256) % PRIME
"""1 in Montgomery's form."""
SQUARE: Final = (1 << 512) % PRIME
CUBE: Final = (1 << 768) % PRIME


def power_of_root(exponent: int) -> tuple[int, int]:
    """Return (9 + i)^exponent in Montgomery's form: for constants, in plain Python."""
    x, y = 1, 0
    for bit in f"{exponent:b}":
        x, y = (x * x - y * y) % PRIME, 2 * x * y % PRIME
        if bit == "1":
            x, y = 9 * x - y, 9 * y + x
    return x * ONE % PRIME, y * ONE % PRIME


HALF: Final = 32
"""Bytes of a number of the field: where the second one of a pair lies."""
PAIR: Final = 64


def add(a: u256, b: u256) -> u256:
    """Return a + b."""
    total = a + b
    if total >= PRIME:
        return total - PRIME
    return total


def subtract(a: u256, b: u256) -> u256:
    """Return a - b."""
    if a >= b:
        return a - b
    return a + PRIME - b


def multiply(a: u256, b: u256) -> u256:
    """Return a * b / 2^256: Montgomery's product."""
    product = wrap512(a) * wrap512(b)
    factor = wrap256(wrap256(product) * NEGATED_INVERSE)
    reduced = wrap256((product + wrap512(factor) * PRIME) >> 256)
    if reduced >= PRIME:
        return reduced - PRIME
    return reduced


def enter(a: u256) -> u256:
    """Return a number in Montgomery's form."""
    return multiply(a, SQUARE)


def leave(a: u256) -> u256:
    """Return what a number in Montgomery's form stands for."""
    return multiply(a, 1)


def halve(a: u256) -> u256:
    """Return a / 2."""
    if a & 1 == 0:
        return a >> 1
    return (a + PRIME) >> 1


def invert(a: u256) -> u256:
    """Return 1 / a; `a` is not 0.

    By Euclid's algorithm in binary (Knuth, volume 2, exercise 4.5.2-39): always
    u = x * a and v = y * a.
    """
    u = a
    v = wrap256(PRIME)
    x = wrap256(1)
    y = wrap256(0)
    while u != 1 and v != 1:
        if u & 1 == 0:
            u = u >> 1
            x = halve(x)
        elif v & 1 == 0:
            v = v >> 1
            y = halve(y)
        elif u >= v:
            u = u - v
            x = subtract(x, y)
        else:
            v = v - u
            y = subtract(y, x)
    if u != 1:
        x = y
    return multiply(x, CUBE)


# ------------------------------------------------------------------------------- pairs


def set_pair(f: Bytes, to: u64, x: u256, y: u256) -> None:
    """Write x + y i."""
    poke256(f, to, x)
    poke256(f, to + HALF, y)


def is_zero_pair(f: Bytes, a: u64) -> u64:
    """Return 1 if the pair is 0."""
    if peek256(f, a) == 0 and peek256(f, a + HALF) == 0:
        return 1
    return 0


def equal_pairs(f: Bytes, a: u64, b: u64) -> u64:
    """Return 1 if two pairs are equal."""
    if peek256(f, a) == peek256(f, b) and peek256(f, a + HALF) == peek256(f, b + HALF):
        return 1
    return 0


def copy_pair(f: Bytes, to: u64, a: u64) -> None:
    """Write the pair a."""
    copy(f, to, f, a, PAIR)


def add_pairs(f: Bytes, to: u64, a: u64, b: u64) -> None:
    """Write a + b."""
    poke256(f, to, add(peek256(f, a), peek256(f, b)))
    poke256(f, to + HALF, add(peek256(f, a + HALF), peek256(f, b + HALF)))


def subtract_pairs(f: Bytes, to: u64, a: u64, b: u64) -> None:
    """Write a - b."""
    poke256(f, to, subtract(peek256(f, a), peek256(f, b)))
    poke256(f, to + HALF, subtract(peek256(f, a + HALF), peek256(f, b + HALF)))


def negate_pair(f: Bytes, to: u64, a: u64) -> None:
    """Write -a."""
    poke256(f, to, subtract(0, peek256(f, a)))
    poke256(f, to + HALF, subtract(0, peek256(f, a + HALF)))


def conjugate_pair(f: Bytes, to: u64, a: u64) -> None:
    """Write x - y i for a = x + y i: its power of `PRIME`."""
    poke256(f, to, peek256(f, a))
    poke256(f, to + HALF, subtract(0, peek256(f, a + HALF)))


def multiply_pairs(f: Bytes, to: u64, a: u64, b: u64) -> None:
    """Write a * b, with three products instead of four (Karatsuba)."""
    ax = peek256(f, a)
    ay = peek256(f, a + HALF)
    bx = peek256(f, b)
    by = peek256(f, b + HALF)
    both = multiply(add(ax, ay), add(bx, by))
    x = multiply(ax, bx)
    y = multiply(ay, by)
    poke256(f, to, subtract(x, y))
    poke256(f, to + HALF, subtract(subtract(both, x), y))


def square_pair(f: Bytes, to: u64, a: u64) -> None:
    """Write a * a."""
    x = peek256(f, a)
    y = peek256(f, a + HALF)
    half = multiply(x, y)
    poke256(f, to, multiply(add(x, y), subtract(x, y)))
    poke256(f, to + HALF, add(half, half))


def scale_pair(f: Bytes, to: u64, a: u64, factor: u256) -> None:
    """Write a * factor."""
    poke256(f, to, multiply(peek256(f, a), factor))
    poke256(f, to + HALF, multiply(peek256(f, a + HALF), factor))


def multiply_by_root(f: Bytes, to: u64, a: u64) -> None:
    """Write a * (9 + i), of which the larger fields take roots."""
    x = peek256(f, a)
    y = peek256(f, a + HALF)
    poke256(f, to, subtract(nine_times(x), y))
    poke256(f, to + HALF, add(nine_times(y), x))


def nine_times(a: u256) -> u256:
    """Return 9 * a."""
    twice = add(a, a)
    four = add(twice, twice)
    return add(add(four, four), a)
