"""Points of BN254's twist, y^2 = x^3 + 3 / (9 + i) over pairs, and lines through them.

The running point T is X : Y : Z as in `bn254_curve`, the point Q that is added to it
has two coordinates; all are pairs at the beginning of a buffer `f`. Each step also
leaves the line through the points that it added (the tangent, if it doubled one): its
slope is `RISE` / `RUN`, and `SHIFT` is `RISE` * x - `RUN` * y for its points.
"""

from __future__ import annotations

from typing import Final

from echidna_mcp.kernel.language.memory import Bytes, u64
from echidna_mcp_plugins.native.precompiles.bn254.field import (
    ONE,
    PAIR,
    PRIME,
    add_pairs,
    conjugate_pair,
    copy_pair,
    equal_pairs,
    is_zero_pair,
    multiply_pairs,
    power_of_root,
    set_pair,
    square_pair,
    subtract_pairs,
)

T_X: Final = 0 * PAIR
T_Y: Final = 1 * PAIR
T_Z: Final = 2 * PAIR
Q_X: Final = 3 * PAIR
Q_Y: Final = 4 * PAIR
RISE: Final = 5 * PAIR
RUN: Final = 6 * PAIR
SHIFT: Final = 7 * PAIR
B: Final = 8 * PAIR
"""The constant term of the curve."""
TURN_X: Final = 9 * PAIR
TURN_Y: Final = 10 * PAIR
"""What `turn` multiplies coordinates by."""
U: Final = 11 * PAIR
V: Final = 12 * PAIR
XY: Final = 13 * PAIR
YY: Final = 14 * PAIR
YZ: Final = 15 * PAIR
E: Final = 16 * PAIR
CUBE: Final = 13 * PAIR
G: Final = 14 * PAIR
H: Final = 15 * PAIR
TWICE: Final = 17 * PAIR
TWIST_END: Final = 18 * PAIR


_ROOT_INVERSE: Final = power_of_root(PRIME * PRIME - 2)
B_X: Final = 3 * _ROOT_INVERSE[0] % PRIME
B_Y: Final = 3 * _ROOT_INVERSE[1] % PRIME
_TURN_X: Final = power_of_root((PRIME - 1) // 3)
_TURN_Y: Final = power_of_root((PRIME - 1) // 2)
TURN_X_REAL: Final = _TURN_X[0]
TURN_X_IMAGINARY: Final = _TURN_X[1]
TURN_Y_REAL: Final = _TURN_Y[0]
TURN_Y_IMAGINARY: Final = _TURN_Y[1]

GROUP: Final = 6 * 4965661367192848881**2
"""`turn` multiplies points of the group, and no others, by this: the trace less 1."""
GROUP_BITS: Final = GROUP.bit_length()


def set_constants(f: Bytes) -> None:
    """Write the constants into the buffer."""
    set_pair(f, B, B_X, B_Y)
    set_pair(f, TURN_X, TURN_X_REAL, TURN_X_IMAGINARY)
    set_pair(f, TURN_Y, TURN_Y_REAL, TURN_Y_IMAGINARY)


def is_on_twist(f: Bytes) -> u64:
    """Return 1 if Q is a point of the twist."""
    square_pair(f, U, Q_X)
    multiply_pairs(f, U, U, Q_X)
    add_pairs(f, U, U, B)
    square_pair(f, V, Q_Y)
    return equal_pairs(f, U, V)


def start_at_q(f: Bytes) -> None:
    """Make T the point Q."""
    copy_pair(f, T_X, Q_X)
    copy_pair(f, T_Y, Q_Y)
    set_pair(f, T_Z, ONE, 0)


def turn(f: Bytes) -> None:
    """Map Q to its image under the endomorphism of Frobenius."""
    conjugate_pair(f, Q_X, Q_X)
    conjugate_pair(f, Q_Y, Q_Y)
    multiply_pairs(f, Q_X, Q_X, TURN_X)
    multiply_pairs(f, Q_Y, Q_Y, TURN_Y)


def is_in_group(f: Bytes) -> u64:
    """Return 1 if the order of Q, a point of the twist, is that of BN254's groups.

    A point that `turn` multiplies by m = t - 1, t being the trace, has that order:
    since turn^2 - t turn + p is 0, so is the point times m^2 - t m + p = p + 1 - t,
    which is the order. Q is `turn`ed afterwards.
    """
    start_at_q(f)
    for i in range(1, GROUP_BITS):
        double_twist(f)
        if GROUP >> (GROUP_BITS - 1 - i) & 1 != 0:
            add_q(f)
    turn(f)
    if is_zero_pair(f, T_Z) != 0:
        return 0
    multiply_pairs(f, U, Q_X, T_Z)
    multiply_pairs(f, V, Q_Y, T_Z)
    if equal_pairs(f, U, T_X) != 0:
        return equal_pairs(f, V, T_Y)
    return 0


def double_twist(f: Bytes) -> None:
    """Double T; see `bn254_curve.double`."""
    multiply_pairs(f, XY, T_X, T_Y)
    square_pair(f, YY, T_Y)
    multiply_pairs(f, YZ, T_Y, T_Z)
    square_pair(f, E, T_Z)
    multiply_pairs(f, E, E, B)
    triple_pair(f, E, E)
    square_pair(f, RISE, T_X)
    triple_pair(f, RISE, RISE)
    add_pairs(f, RUN, YZ, YZ)
    subtract_pairs(f, SHIFT, YY, E)
    # X: 2 xy (yy - 3 e)
    triple_pair(f, U, E)
    subtract_pairs(f, V, YY, U)
    multiply_pairs(f, T_X, XY, V)
    add_pairs(f, T_X, T_X, T_X)
    # Z: 4 yy * 2 yz
    multiply_pairs(f, T_Z, YY, RUN)
    add_pairs(f, T_Z, T_Z, T_Z)
    add_pairs(f, T_Z, T_Z, T_Z)
    # Y: (yy + 3 e)^2 - 12 e^2
    add_pairs(f, V, YY, U)
    square_pair(f, T_Y, V)
    square_pair(f, E, E)
    triple_pair(f, E, E)
    add_pairs(f, E, E, E)
    add_pairs(f, E, E, E)
    subtract_pairs(f, T_Y, T_Y, E)


def add_q(f: Bytes) -> None:
    """Add Q to T; see `bn254_curve.add_point`."""
    if is_zero_pair(f, T_Z) != 0:
        start_at_q(f)
        return
    multiply_pairs(f, U, Q_Y, T_Z)
    subtract_pairs(f, RISE, T_Y, U)
    multiply_pairs(f, U, Q_X, T_Z)
    subtract_pairs(f, RUN, T_X, U)
    if is_zero_pair(f, RISE) != 0 and is_zero_pair(f, RUN) != 0:
        double_twist(f)
        return
    multiply_pairs(f, SHIFT, RISE, Q_X)
    multiply_pairs(f, U, RUN, Q_Y)
    subtract_pairs(f, SHIFT, SHIFT, U)
    square_pair(f, U, RUN)
    multiply_pairs(f, CUBE, RUN, U)
    multiply_pairs(f, G, T_X, U)
    square_pair(f, H, RISE)
    multiply_pairs(f, H, H, T_Z)
    add_pairs(f, H, H, CUBE)
    subtract_pairs(f, H, H, G)
    subtract_pairs(f, H, H, G)
    multiply_pairs(f, T_X, RUN, H)
    subtract_pairs(f, G, G, H)
    multiply_pairs(f, G, G, RISE)
    multiply_pairs(f, T_Y, T_Y, CUBE)
    subtract_pairs(f, T_Y, G, T_Y)
    multiply_pairs(f, T_Z, T_Z, CUBE)


def triple_pair(f: Bytes, to: u64, a: u64) -> None:
    """Write 3 * a to a place that may be that of a, using the last scratch pair."""
    add_pairs(f, TWICE, a, a)
    add_pairs(f, to, TWICE, a)
