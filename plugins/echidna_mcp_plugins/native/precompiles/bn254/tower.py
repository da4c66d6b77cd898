"""The field of degree 12 over BN254's prime field, in which pairings lie.

A number is six pairs (`bn254_field`), one after the other: the coefficients of the
powers of w, with w^6 = 9 + i. The pairs of even powers are a number of the field of
degree 6, as are those of odd powers: a *triple*, three pairs at a distance of `STEP`,
coefficients of the powers of v = w^2.
"""

from __future__ import annotations

from typing import Final

from echidna_mcp.kernel.language.memory import Bytes, clear, copy, peek256, poke256, u64
from echidna_mcp_plugins.native.precompiles.bn254.field import (
    HALF,
    ONE,
    PAIR,
    PRIME,
    add_pairs,
    conjugate_pair,
    copy_pair,
    invert,
    multiply_by_root,
    multiply_pairs,
    negate_pair,
    power_of_root,
    scale_pair,
    set_pair,
    subtract_pairs,
)
from echidna_mcp_plugins.native.precompiles.bn254.twist import TWIST_END

STEP: Final = 2 * PAIR
NUMBER: Final = 6 * PAIR
"""Bytes of a number."""
COUNT: Final = 6

# Places in the buffer, behind those of the twist.
PRODUCTS: Final = TWIST_END
"""Three products of pairs, and two sums."""
SUMS: Final = PRODUCTS + 5 * PAIR
"""A number that is two sums."""
FIRST: Final = SUMS + NUMBER
"""Two triples, as one number."""
THIRD: Final = FIRST + NUMBER
TURNS: Final = THIRD + NUMBER
"""What `turn_number` multiplies the coefficients by."""
TURNED: Final = TURNS + NUMBER
TOWER_END: Final = TURNED + NUMBER

_TURNS: Final = tuple(power_of_root(n * (PRIME - 1) // 6) for n in range(COUNT))
TURNS_REAL: Final = tuple(x for x, _ in _TURNS)
TURNS_IMAGINARY: Final = tuple(y for _, y in _TURNS)


def set_turns(f: Bytes) -> None:
    """Write the constants into the buffer."""
    for i in range(COUNT):
        set_pair(f, TURNS + i * PAIR, TURNS_REAL[i], TURNS_IMAGINARY[i])


# ----------------------------------------------------------------------------- triples


def add_triples(f: Bytes, to: u64, a: u64, b: u64) -> None:
    """Write a + b."""
    for i in range(3):
        add_pairs(f, to + i * STEP, a + i * STEP, b + i * STEP)


def subtract_triples(f: Bytes, to: u64, a: u64, b: u64) -> None:
    """Write a - b."""
    for i in range(3):
        subtract_pairs(f, to + i * STEP, a + i * STEP, b + i * STEP)


def multiply_by_v(f: Bytes, to: u64, a: u64) -> None:
    """Write a * v to a place apart from a."""
    multiply_by_root(f, to, a + 2 * STEP)
    copy_pair(f, to + STEP, a)
    copy_pair(f, to + 2 * STEP, a + STEP)


def multiply_triples(f: Bytes, to: u64, a: u64, b: u64) -> None:
    """Write a * b to a place apart from both, with six products (Karatsuba)."""
    for i in range(3):
        multiply_pairs(f, PRODUCTS + i * PAIR, a + i * STEP, b + i * STEP)
    # Coefficient 3 - i of v comes from the other two powers.
    cross_product(f, to, a, b, 1, 2)
    multiply_by_root(f, to, to)
    add_pairs(f, to, to, PRODUCTS)
    cross_product(f, to + STEP, a, b, 0, 1)
    multiply_by_root(f, PRODUCTS + 3 * PAIR, PRODUCTS + 2 * PAIR)
    add_pairs(f, to + STEP, to + STEP, PRODUCTS + 3 * PAIR)
    cross_product(f, to + 2 * STEP, a, b, 0, 2)
    add_pairs(f, to + 2 * STEP, to + 2 * STEP, PRODUCTS + PAIR)


def cross_product(f: Bytes, to: u64, a: u64, b: u64, i: u64, j: u64) -> None:
    """Write a_i * b_j + a_j * b_i, given the products a_i * b_i and a_j * b_j."""
    add_pairs(f, PRODUCTS + 3 * PAIR, a + i * STEP, a + j * STEP)
    add_pairs(f, PRODUCTS + 4 * PAIR, b + i * STEP, b + j * STEP)
    multiply_pairs(f, to, PRODUCTS + 3 * PAIR, PRODUCTS + 4 * PAIR)
    subtract_pairs(f, to, to, PRODUCTS + i * PAIR)
    subtract_pairs(f, to, to, PRODUCTS + j * PAIR)


# ----------------------------------------------------------------------------- numbers


def set_one(f: Bytes, to: u64) -> None:
    """Write 1."""
    clear(f, to, NUMBER)
    poke256(f, to, ONE)


def is_one(f: Bytes, a: u64) -> u64:
    """Return 1 if the number is 1."""
    if peek256(f, a) != ONE:
        return 0
    for i in range(1, 2 * COUNT):
        if peek256(f, a + i * HALF) != 0:
            return 0
    return 1


def copy_number(f: Bytes, to: u64, a: u64) -> None:
    """Write the number a."""
    copy(f, to, f, a, NUMBER)


def multiply_numbers(f: Bytes, to: u64, a: u64, b: u64) -> None:
    """Write a * b."""
    multiply_triples(f, FIRST, a, b)
    multiply_triples(f, FIRST + PAIR, a + PAIR, b + PAIR)
    add_triples(f, SUMS, a, a + PAIR)
    add_triples(f, SUMS + PAIR, b, b + PAIR)
    multiply_triples(f, THIRD, SUMS, SUMS + PAIR)
    subtract_triples(f, THIRD, THIRD, FIRST)
    subtract_triples(f, to + PAIR, THIRD, FIRST + PAIR)
    multiply_by_v(f, THIRD, FIRST + PAIR)
    add_triples(f, to, FIRST, THIRD)


def square_number(f: Bytes, to: u64, a: u64) -> None:
    """Write a * a.

    With even part e and odd part o, (e + o)(e + v o) = e^2 + v o^2 + e o + v e o.
    """
    multiply_triples(f, FIRST, a, a + PAIR)
    multiply_by_v(f, SUMS, a + PAIR)
    add_triples(f, SUMS, SUMS, a)
    add_triples(f, SUMS + PAIR, a, a + PAIR)
    multiply_triples(f, THIRD, SUMS, SUMS + PAIR)
    subtract_triples(f, THIRD, THIRD, FIRST)
    add_triples(f, to + PAIR, FIRST, FIRST)
    multiply_by_v(f, SUMS, FIRST)
    subtract_triples(f, to, THIRD, SUMS)


def conjugate_number(f: Bytes, to: u64, a: u64) -> None:
    """Write a to the power of PRIME^6, which is 1 / a if its norm over there is 1."""
    for i in range(3):
        copy_pair(f, to + i * STEP, a + i * STEP)
        negate_pair(f, to + PAIR + i * STEP, a + PAIR + i * STEP)


def turn_number(f: Bytes, to: u64, a: u64) -> None:
    """Write a to the power of PRIME (Frobenius)."""
    for i in range(COUNT):
        conjugate_pair(f, to + i * PAIR, a + i * PAIR)
        multiply_pairs(f, to + i * PAIR, to + i * PAIR, TURNS + i * PAIR)


def invert_number(f: Bytes, to: u64, a: u64) -> None:
    """Write 1 / a; `to` is apart from `a`, which is not 0.

    The product of all powers of a by PRIME^i, i from 0 to 11, is a number of the prime
    field: 1 / a is the product of all but the first, divided by it.
    """
    turn_number(f, TURNED, a)
    copy_number(f, to, TURNED)
    for _ in range(10):
        turn_number(f, TURNED, TURNED)
        multiply_numbers(f, to, to, TURNED)
    multiply_numbers(f, TURNED, to, a)
    inverse = invert(peek256(f, TURNED))
    for i in range(COUNT):
        scale_pair(f, to + i * PAIR, to + i * PAIR, inverse)


def power_of_number(f: Bytes, to: u64, a: u64, exponent: u64) -> None:
    """Write a to a power that is not 0; `to` is apart from `a`."""
    set_one(f, to)
    for i in range(64):
        square_number(f, to, to)
        if exponent >> (63 - i) & 1 != 0:
            multiply_numbers(f, to, to, a)
