"""The precompiles ECADD, ECMUL (EIP-196) and ECPAIRING (EIP-197), but for their gas.

Each writes its output, not taken if it refuses the input, and returns whether it took
the input: 1 or 0. Points are coordinates below `PRIME`, big-endian; infinity is 0, 0.
"""

from __future__ import annotations

from typing import Final

from echidna_mcp.kernel.language.memory import (
    Bytes,
    copy,
    load256,
    local_bytes,
    peek256,
    store256,
    u64,
    wrap256,
)
from echidna_mcp.kernel.language.processor import give_way
from echidna_mcp_plugins.native.precompiles.bn254.curve import (
    SUM,
    X,
    Y,
    add_point,
    begin,
    is_on_curve,
    multiply_point,
    settle,
)
from echidna_mcp_plugins.native.precompiles.bn254.field import (
    PRIME,
    enter,
    is_zero_pair,
    set_pair,
)
from echidna_mcp_plugins.native.precompiles.bn254.pairing import (
    PAIRING,
    begin_pairing,
    is_product_one,
    multiply_by_pairing,
)
from echidna_mcp_plugins.native.precompiles.bn254.twist import (
    Q_X,
    Q_Y,
    is_in_group,
    is_on_twist,
)

WORD: Final = 32
POINT: Final = 64
PAIRED: Final = 192
"""Bytes of two points that are paired: one of the curve, one of the twist."""


def add_points(memory: Bytes, start: u64, size: u64, out: Bytes) -> u64:
    """Add two points; what the input lacks is 0."""
    given = local_bytes(128)
    take_input(memory, start, size, given, 128)
    p = local_bytes(SUM)
    begin(p)
    for i in range(2):
        if is_point(given, i * POINT) == 0:
            return 0
        x = load256(given, i * POINT)
        y = load256(given, i * POINT + WORD)
        if x != 0 or y != 0:
            add_point(p, enter(x), enter(y))
    put_point(p, out)
    return 1


def multiply_by_word(memory: Bytes, start: u64, size: u64, out: Bytes) -> u64:
    """Multiply a point by a number; what the input lacks is 0."""
    given = local_bytes(96)
    take_input(memory, start, size, given, 96)
    if is_point(given, 0) == 0:
        return 0
    x = load256(given, 0)
    y = load256(given, WORD)
    p = local_bytes(SUM)
    begin(p)
    if x != 0 or y != 0:
        multiply_point(p, enter(x), enter(y), load256(given, POINT))
    put_point(p, out)
    return 1


def check_pairing(memory: Bytes, start: u64, size: u64, out: Bytes) -> u64:
    """Say whether the product of pairings is one; `size` is a multiple of `PAIRED`."""
    f = local_bytes(PAIRING)
    begin_pairing(f)
    for i in range(size // PAIRED):
        # A pair takes a millisecond, and one call can pay for hundreds.
        give_way()
        at = start + i * PAIRED
        if is_point(memory, at) == 0 or take_twist(f, memory, at + POINT) == 0:
            return 0
        x = load256(memory, at)
        y = load256(memory, at + WORD)
        infinite = is_zero_pair(f, Q_X) & is_zero_pair(f, Q_Y)
        if infinite == 0:
            # Both tests change Q or what lies beside it.
            if is_on_twist(f) == 0 or is_in_group(f) == 0:
                return 0
            take_twist(f, memory, at + POINT)
            if x != 0 or y != 0:
                multiply_by_pairing(f, enter(x), enter(y))
    store256(out, 0, wrap256(is_product_one(f)))
    return 1


def take_input(memory: Bytes, start: u64, size: u64, given: Bytes, room: u64) -> None:
    """Fill a buffer of `room` zeros with the input, as far as it goes."""
    taken = size
    if taken > room:
        taken = room
    copy(given, 0, memory, start, taken)


def is_point(given: Bytes, at: u64) -> u64:
    """Return 1 if two words are a point of the curve."""
    x = load256(given, at)
    y = load256(given, at + WORD)
    if x >= PRIME or y >= PRIME:
        return 0
    return is_on_curve(enter(x), enter(y))


def take_twist(f: Bytes, memory: Bytes, at: u64) -> u64:
    """Make Q what four words say, factors of i first; return 0 if one is too large."""
    for i in range(4):
        if load256(memory, at + i * WORD) >= PRIME:
            return 0
    x = enter(load256(memory, at + WORD))
    set_pair(f, Q_X, x, enter(load256(memory, at)))
    y = enter(load256(memory, at + 3 * WORD))
    set_pair(f, Q_Y, y, enter(load256(memory, at + 2 * WORD)))
    return 1


def put_point(p: Bytes, out: Bytes) -> None:
    """Write a sum as two words."""
    settle(p)
    store256(out, 0, peek256(p, X))
    store256(out, WORD, peek256(p, Y))
