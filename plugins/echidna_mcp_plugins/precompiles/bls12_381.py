"""The seven precompiles of the curve BLS12-381 (EIP-2537), by arkworks.

A coordinate is 64 bytes, big-endian, of which 16 are zero; all zeros are the point at
infinity. Points that are added must lie on the curve; those that are multiplied or
paired must also be of the subgroup.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from py_arkworks_bls12381 import GT, G1Point, G2Point, Scalar

from echidna_mcp_plugins.precompiles.precompile import (
    WORD,
    Precompile,
    RefusedError,
)

_FIELD: Final = 64
_PAD: Final = bytes(16)
_G1: Final = 2 * _FIELD
_G2: Final = 4 * _FIELD
_PAIR: Final = _G1 + _G2

PAIRING_GAS: Final = 37_700
PAIR_GAS: Final = 32_600
MSM_UNIT: Final = 1000
"""What the discounts are parts of."""
G1_DISCOUNTS: Final = (
    *(1000, 949, 848, 797, 764, 750, 738, 728, 719, 712, 705, 698, 692, 687),
    *(682, 677, 673, 669, 665, 661, 658, 654, 651, 648, 645, 642, 640, 637),
    *(635, 632, 630, 627, 625, 623, 621, 619, 617, 615, 613, 611, 609, 608),
    *(606, 604, 603, 601, 599, 598, 596, 595, 593, 592, 591, 589, 588, 586),
    *(585, 584, 582, 581, 580, 579, 577, 576, 575, 574, 573, 572, 570, 569),
    *(568, 567, 566, 565, 564, 563, 562, 561, 560, 559, 558, 557, 556, 555),
    *(554, 553, 552, 551, 550, 549, 548, 547, 547, 546, 545, 544, 543, 542),
    *(541, 540, 540, 539, 538, 537, 536, 536, 535, 534, 533, 532, 532, 531),
    *(530, 529, 528, 528, 527, 526, 525, 525, 524, 523, 522, 522, 521, 520),
    *(520, 519),
)
"""For 1 to 128 points; the last one also for more."""
G2_DISCOUNTS: Final = (
    *(1000, 1000, 923, 884, 855, 832, 812, 796, 782, 770, 759, 749, 740, 732),
    *(724, 717, 711, 704, 699, 693, 688, 683, 679, 674, 670, 666, 663, 659),
    *(655, 652, 649, 646, 643, 640, 637, 634, 632, 629, 627, 624, 622, 620),
    *(618, 615, 613, 611, 609, 607, 606, 604, 602, 600, 598, 597, 595, 593),
    *(592, 590, 589, 587, 586, 584, 583, 582, 580, 579, 578, 576, 575, 574),
    *(573, 571, 570, 569, 568, 567, 566, 565, 563, 562, 561, 560, 559, 558),
    *(557, 556, 555, 554, 553, 552, 552, 551, 550, 549, 548, 547, 546, 545),
    *(545, 544, 543, 542, 541, 541, 540, 539, 538, 537, 537, 536, 535, 535),
    *(534, 533, 532, 532, 531, 530, 530, 529, 528, 528, 527, 526, 526, 525),
    *(524, 524),
)


# --------------------------------------------------------------------------- encoding


def _numbers(data: bytes, start: int, count: int) -> list[bytes]:
    """Return coordinates without their padding.

    Raises:
        RefusedError: the padding is not zero.
    """
    found = []
    for at in range(start, start + count * _FIELD, _FIELD):
        if data[at : at + 16] != _PAD:
            raise RefusedError("a coordinate of more than 48 bytes")
        found.append(data[at + 16 : at + _FIELD])
    return found


def _g1(data: bytes, start: int, *, subgroup: bool) -> G1Point:
    """Return the point of G1 at a place of the input, or refuse it."""
    x, y = _numbers(data, start, 2)
    try:
        point = G1Point.from_xy_bytes_unchecked_be(x + y)
    except ValueError as error:
        raise RefusedError("no point of the curve") from error
    if subgroup and not point.is_in_subgroup():
        raise RefusedError("no point of the subgroup")
    return point


def _g2(data: bytes, start: int, *, subgroup: bool) -> G2Point:
    """Return the point of G2 at a place of the input, or refuse it."""
    x0, x1, y0, y1 = _numbers(data, start, 4)
    try:
        point = G2Point.from_xy_bytes_unchecked_be(x0 + x1 + y0 + y1)
    except ValueError as error:
        raise RefusedError("no point of the curve") from error
    if subgroup and not point.is_in_subgroup():
        raise RefusedError("no point of the subgroup")
    return point


def _encoded(point: G1Point | G2Point) -> bytes:
    """Return a point as the EVM has it."""
    data = point.to_xy_bytes_be()
    return b"".join(_PAD + data[at : at + 48] for at in range(0, len(data), 48))


def _items(data: bytes, size: int) -> int:
    """Return how many items of this size the input has: at least one, all whole."""
    count, rest = divmod(len(data), size)
    if not count or rest:
        raise RefusedError(f"not a multiple of {size} bytes")
    return count


# ------------------------------------------------------------------------ precompiles


def g1_add(data: bytes) -> bytes:
    """Return the sum of two points of G1.

    Raises:
        RefusedError: the input is no such points.
    """
    return _encoded(_g1(data, 0, subgroup=False) + _g1(data, _G1, subgroup=False))


def g2_add(data: bytes) -> bytes:
    """Return the sum of two points of G2.

    Raises:
        RefusedError: the input is no such points.
    """
    return _encoded(_g2(data, 0, subgroup=False) + _g2(data, _G2, subgroup=False))


def g1_msm(data: bytes) -> bytes:
    """Return the sum of points of G1, each multiplied by the number after it.

    Raises:
        RefusedError: the input is no such points.
    """
    step = _G1 + WORD
    starts = range(0, step * _items(data, step), step)
    points = [_g1(data, at, subgroup=True) for at in starts]
    return _encoded(G1Point.multiexp_unchecked(points, _scalars(data, step)))


def g2_msm(data: bytes) -> bytes:
    """Return the sum of points of G2, each multiplied by the number after it.

    Raises:
        RefusedError: the input is no such points.
    """
    step = _G2 + WORD
    starts = range(0, step * _items(data, step), step)
    points = [_g2(data, at, subgroup=True) for at in starts]
    return _encoded(G2Point.multiexp_unchecked(points, _scalars(data, step)))


def _scalars(data: bytes, step: int) -> list[Scalar]:
    ends = range(step, len(data) + 1, step)
    return [Scalar.from_be_bytes_mod_order(data[end - WORD : end]) for end in ends]


def pairing_check(data: bytes) -> bytes:
    """Return the word 1 if the product of the pairings is one, else 0.

    Raises:
        RefusedError: the input is no pairs of points of the groups.
    """
    starts = range(0, _PAIR * _items(data, _PAIR), _PAIR)
    first = [_g1(data, at, subgroup=True) for at in starts]
    second = [_g2(data, at + _G1, subgroup=True) for at in starts]
    return int(GT.pairing_check(first, second)).to_bytes(WORD)


def map_fp_to_g1(data: bytes) -> bytes:
    """Return the point of G1 that a number of the field is mapped to.

    Raises:
        RefusedError: the input is no such number.
    """
    (number,) = _numbers(data, 0, 1)
    try:
        return _encoded(G1Point.map_from_fp_be(number))
    except ValueError as error:
        raise RefusedError("no number of the field") from error


def map_fp2_to_g2(data: bytes) -> bytes:
    """Return the point of G2 that a number of the quadratic field is mapped to.

    Raises:
        RefusedError: the input is no such number.
    """
    real, imaginary = _numbers(data, 0, 2)
    try:
        return _encoded(G2Point.map_from_fp2_be(real + imaginary))
    except ValueError as error:
        raise RefusedError("no number of the field") from error


# ------------------------------------------------------------------------------ prices


def _sized(size: int, gas: int) -> Callable[[bytes], int]:
    """Return the price of a precompile that takes one size of input."""

    def price(data: bytes) -> int:
        if len(data) != size:
            raise RefusedError(f"not {size} bytes")
        return gas

    return price


def _msm_price(
    size: int, gas: int, discounts: tuple[int, ...]
) -> Callable[[bytes], int]:
    """Return the price of a sum of products, which is lower for many."""

    def price(data: bytes) -> int:
        count = _items(data, size)
        discount = discounts[min(count, len(discounts)) - 1]
        return count * gas * discount // MSM_UNIT

    return price


def _pairing_price(data: bytes) -> int:
    return PAIRING_GAS + PAIR_GAS * _items(data, _PAIR)


G1_ADD: Final = Precompile(_sized(2 * _G1, 375), g1_add)
G1_MSM: Final = Precompile(_msm_price(_G1 + WORD, 12_000, G1_DISCOUNTS), g1_msm)
G2_ADD: Final = Precompile(_sized(2 * _G2, 600), g2_add)
G2_MSM: Final = Precompile(_msm_price(_G2 + WORD, 22_500, G2_DISCOUNTS), g2_msm)
PAIRING_CHECK: Final = Precompile(_pairing_price, pairing_check)
MAP_FP_TO_G1: Final = Precompile(_sized(_FIELD, 5500), map_fp_to_g1)
MAP_FP2_TO_G2: Final = Precompile(_sized(2 * _FIELD, 23_800), map_fp2_to_g2)
