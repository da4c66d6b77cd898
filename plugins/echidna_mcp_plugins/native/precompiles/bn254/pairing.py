"""Whether a product of pairings of BN254 is one (EIP-197): the optimal ate pairing.

Vercauteren, "Optimal pairings", 2010; the final power as in Scott et al., "On the final
exponentiation for calculating pairings on ordinary elliptic curves", 2009.
"""

from __future__ import annotations

from typing import Final

from echidna_mcp.kernel.language.memory import Bytes, clear, u64, u256, wrap128
from echidna_mcp_plugins.native.precompiles.bn254.field import (
    PAIR,
    copy_pair,
    negate_pair,
    scale_pair,
    subtract,
)
from echidna_mcp_plugins.native.precompiles.bn254.tower import (
    NUMBER,
    TOWER_END,
    conjugate_number,
    copy_number,
    invert_number,
    is_one,
    multiply_numbers,
    power_of_number,
    set_one,
    set_turns,
    square_number,
    turn_number,
)
from echidna_mcp_plugins.native.precompiles.bn254.twist import (
    Q_Y,
    RISE,
    RUN,
    SHIFT,
    add_q,
    double_twist,
    set_constants,
    start_at_q,
    turn,
)

U: Final = 4965661367192848881
"""The parameter of the curve."""
LOOP: Final = 6 * U + 2
LOOP_BITS: Final = LOOP.bit_length()

# Places in the buffer, a number each.
RESULT: Final = TOWER_END
"""The product of the pairings so far, before the final power."""
VALUE: Final = RESULT + 1 * NUMBER
LINE: Final = RESULT + 2 * NUMBER
POWER: Final = RESULT + 3 * NUMBER
"""The base and its powers by U, U^2 and U^3."""
OTHER: Final = RESULT + 7 * NUMBER
SPARE: Final = RESULT + 8 * NUMBER
PAIRING: Final = RESULT + 9 * NUMBER
"""Bytes of the buffer that a pairing works in."""


def begin_pairing(f: Bytes) -> None:
    """Make a buffer of `PAIRING` zeros ready."""
    set_constants(f)
    set_turns(f)
    set_one(f, RESULT)


def multiply_by_pairing(f: Bytes, x: u256, y: u256) -> None:
    """Multiply the result by the pairing of a point with Q, neither of them infinity.

    Q is a point of the group, and is changed.
    """
    start_at_q(f)
    set_one(f, VALUE)
    for i in range(1, LOOP_BITS):
        square_number(f, VALUE, VALUE)
        double_twist(f)
        multiply_by_line(f, x, y)
        if wrap128(LOOP) >> (LOOP_BITS - 1 - i) & 1 != 0:
            add_q(f)
            multiply_by_line(f, x, y)
    turn(f)
    add_q(f)
    multiply_by_line(f, x, y)
    turn(f)
    negate_pair(f, Q_Y, Q_Y)
    add_q(f)
    multiply_by_line(f, x, y)
    multiply_numbers(f, RESULT, RESULT, VALUE)


def multiply_by_line(f: Bytes, x: u256, y: u256) -> None:
    """Multiply the value by the last line: run y - rise x w + shift w^3 at a point.

    A point of the twist is (x w^2, y w^3) on the curve, so that slopes get a w.
    """
    clear(f, LINE, NUMBER)
    scale_pair(f, LINE, RUN, y)
    scale_pair(f, LINE + PAIR, RISE, subtract(0, x))
    copy_pair(f, LINE + 3 * PAIR, SHIFT)
    multiply_numbers(f, VALUE, VALUE, LINE)


def is_product_one(f: Bytes) -> u64:
    """Return 1 if the result to the power of (PRIME^12 - 1) / order is 1."""
    # To PRIME^6 - 1, then to PRIME^2 + 1.
    invert_number(f, SPARE, RESULT)
    conjugate_number(f, VALUE, RESULT)
    multiply_numbers(f, VALUE, VALUE, SPARE)
    turn_number(f, SPARE, VALUE)
    turn_number(f, SPARE, SPARE)
    multiply_numbers(f, POWER, SPARE, VALUE)
    raise_to_rest(f)
    return is_one(f, VALUE)


def raise_to_rest(f: Bytes) -> None:
    """Make the value the base at `POWER` to (PRIME^4 - PRIME^2 + 1) / order.

    With p for `PRIME`, u for `U`, and b for the base, that is y0 y1^2 y2^6 y3^12 y4^18
    y5^30 y6^36, where y0 = b^(p + p^2 + p^3), y1 = b^-1, y2 = b^(u^2 p^2),
    y3 = b^-(u p), y4 = b^-(u + u^2 p), y5 = b^-(u^2), y6 = b^-(u^3 + u^3 p). Inverses
    of such a base are conjugates.
    """
    b = POWER
    bu = POWER + 1 * NUMBER
    bu2 = POWER + 2 * NUMBER
    bu3 = POWER + 3 * NUMBER
    power_of_number(f, bu, b, U)
    power_of_number(f, bu2, bu, U)
    power_of_number(f, bu3, bu2, U)
    # y6^2 y4 y5
    turn_number(f, SPARE, bu3)
    multiply_numbers(f, SPARE, SPARE, bu3)
    square_number(f, VALUE, SPARE)
    turn_number(f, SPARE, bu2)
    multiply_numbers(f, SPARE, SPARE, bu)
    multiply_numbers(f, VALUE, VALUE, SPARE)
    multiply_numbers(f, VALUE, VALUE, bu2)
    conjugate_number(f, VALUE, VALUE)
    # y6^2 y4 y5^2 y3
    turn_number(f, OTHER, bu)
    multiply_numbers(f, OTHER, OTHER, bu2)
    conjugate_number(f, OTHER, OTHER)
    multiply_numbers(f, OTHER, OTHER, VALUE)
    # y6^2 y4 y5 y2
    turn_number(f, SPARE, bu2)
    turn_number(f, SPARE, SPARE)
    multiply_numbers(f, VALUE, VALUE, SPARE)
    # (y6^6 y4^3 y5^5 y3^2 y2)^2
    square_number(f, OTHER, OTHER)
    multiply_numbers(f, OTHER, OTHER, VALUE)
    square_number(f, OTHER, OTHER)
    # Twice that with y1, once that with y0.
    conjugate_number(f, SPARE, b)
    multiply_numbers(f, VALUE, OTHER, SPARE)
    square_number(f, VALUE, VALUE)
    copy_number(f, SPARE, b)
    for _ in range(3):
        turn_number(f, SPARE, SPARE)
        multiply_numbers(f, OTHER, OTHER, SPARE)
    multiply_numbers(f, VALUE, VALUE, OTHER)
