"""Signatures on the curve secp256r1, in the arithmetic of Python.

py-evm has no P256VERIFY, and the native EVM takes OpenSSL's. The reference computes it
by the definition (FIPS 186-5, section 6.4.2), so that the two have nothing in common.
"""

from __future__ import annotations

from typing import Final, TypeAlias

FIELD: Final = 2**256 - 2**224 + 2**192 + 2**96 - 1
ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_A: Final = -3
_B: Final = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B

Point: TypeAlias = tuple[int, int] | None
"""Coordinates; None is the point at infinity."""

GENERATOR: Final = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)


def is_on_curve(x: int, y: int) -> bool:
    """Whether x and y are coordinates of a point: of the field, y^2 = x^3 - 3x + b."""
    return x < FIELD and y < FIELD and not (y * y - x**3 - _A * x - _B) % FIELD


def add(one: Point, other: Point) -> Point:
    """Return the sum of two points."""
    if one is None:
        return other
    if other is None:
        return one
    (x1, y1), (x2, y2) = one, other
    if x1 != x2:
        slope = (y2 - y1) * pow(x2 - x1, -1, FIELD)
    elif (y1 + y2) % FIELD == 0:
        return None
    else:
        slope = (3 * x1 * x1 + _A) * pow(2 * y1, -1, FIELD)
    x = (slope * slope - x1 - x2) % FIELD
    return x, (slope * (x1 - x) - y1) % FIELD


def multiply(point: Point, factor: int) -> Point:
    """Return a multiple of a point."""
    product: Point = None
    for bit in f"{factor:b}":
        product = add(product, product)
        if bit == "1":
            product = add(product, point)
    return product


def is_valid(digest: int, r: int, s: int, x: int, y: int) -> bool:
    """Whether r and s sign a digest with the key at x and y."""
    if not (0 < r < ORDER and 0 < s < ORDER and is_on_curve(x, y)):
        return False
    inverse = pow(s, -1, ORDER)
    point = add(
        multiply(GENERATOR, digest * inverse % ORDER),
        multiply((x, y), r * inverse % ORDER),
    )
    return point is not None and point[0] % ORDER == r
