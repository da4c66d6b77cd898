"""Points of the curve BN254, y^2 = x^3 + 3: sums and multiples (EIP-196).

A point that is added to others has coordinates x and y; a sum is X : Y : Z with
x = X / Z, y = Y / Z, and Z = 0 for the point at infinity, which as a pair of
coordinates is 0, 0. All are in Montgomery's form. `bn254_twist` has the same formulas.
"""

from __future__ import annotations

from typing import Final

from echidna_mcp.kernel.language.memory import (
    Bytes,
    leading_zeros256,
    peek256,
    poke256,
    u64,
    u256,
)
from echidna_mcp_plugins.native.precompiles.bn254.field import (
    ONE,
    PRIME,
    add,
    invert,
    leave,
    multiply,
    nine_times,
    subtract,
)

THREE: Final = 3 * ONE % PRIME
X: Final = 0
Y: Final = 32
Z: Final = 64
SUM: Final = 96
"""Bytes of a sum."""


def is_on_curve(x: u256, y: u256) -> u64:
    """Return 1 for coordinates of a point, infinity included."""
    if x == 0 and y == 0:
        return 1
    if multiply(y, y) == add(multiply(multiply(x, x), x), THREE):
        return 1
    return 0


def begin(p: Bytes) -> None:
    """Make the sum the point at infinity."""
    poke256(p, X, 0)
    poke256(p, Y, ONE)
    poke256(p, Z, 0)


def double(p: Bytes) -> None:
    """Double the sum.

    Costello, Lange and Naehrig, "Faster pairing computations on curves with high-degree
    twists", 2010, section 5, with the result multiplied by 4. Infinity stays infinity.
    """
    x = peek256(p, X)
    y = peek256(p, Y)
    z = peek256(p, Z)
    xy = multiply(x, y)
    yy = multiply(y, y)
    yz = multiply(y, z)
    e = nine_times(multiply(z, z))
    three = add(add(e, e), e)
    plus = add(yy, three)
    ee = multiply(e, e)
    twelve = add(add(ee, ee), ee)
    twelve = add(twelve, twelve)
    twelve = add(twelve, twelve)
    product = multiply(yy, yz)
    four = add(product, product)
    four = add(four, four)
    poke256(p, X, multiply(add(xy, xy), subtract(yy, three)))
    poke256(p, Y, subtract(multiply(plus, plus), twelve))
    # 4 * yy * 2 * yz
    poke256(p, Z, add(four, four))


def add_point(p: Bytes, x2: u256, y2: u256) -> None:
    """Add a point that is not infinity to the sum."""
    z = peek256(p, Z)
    if z == 0:
        poke256(p, X, x2)
        poke256(p, Y, y2)
        poke256(p, Z, ONE)
        return
    x = peek256(p, X)
    y = peek256(p, Y)
    rise = subtract(y, multiply(y2, z))
    run = subtract(x, multiply(x2, z))
    if rise == 0 and run == 0:
        double(p)
        return
    # If only `run` is 0, what follows gives infinity.
    square = multiply(run, run)
    cube = multiply(run, square)
    g = multiply(x, square)
    h = subtract(add(cube, multiply(z, multiply(rise, rise))), add(g, g))
    poke256(p, X, multiply(run, h))
    poke256(p, Y, subtract(multiply(rise, subtract(g, h)), multiply(cube, y)))
    poke256(p, Z, multiply(z, cube))


def multiply_point(p: Bytes, x: u256, y: u256, factor: u256) -> None:
    """Make the sum a multiple of a point that is not infinity."""
    begin(p)
    bits = 256 - leading_zeros256(factor)
    for i in range(bits):
        double(p)
        if factor >> (bits - 1 - i) & 1 != 0:
            add_point(p, x, y)


def settle(p: Bytes) -> None:
    """Turn the sum into coordinates at `X` and `Y`, not in Montgomery's form."""
    z = peek256(p, Z)
    if z == 0:
        poke256(p, X, 0)
        poke256(p, Y, 0)
        return
    inverse = invert(z)
    poke256(p, X, leave(multiply(peek256(p, X), inverse)))
    poke256(p, Y, leave(multiply(peek256(p, Y), inverse)))
