"""What the EVM's instructions on words compute, by name (yellow paper, appendix H)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

BITS: Final = 256
MASK: Final = (1 << BITS) - 1
SIGN: Final = 1 << (BITS - 1)


def signed(word: int) -> int:
    """Return a word as a number in two's complement."""
    return word - (1 << BITS) if word & SIGN else word


def _div(a: int, b: int) -> int:
    return a // b if b else 0


def _sdiv(a: int, b: int) -> int:
    if not b:
        return 0
    one, two = signed(a), signed(b)
    size = abs(one) // abs(two)
    return (-size if (one < 0) != (two < 0) else size) & MASK


def _mod(a: int, b: int) -> int:
    return a % b if b else 0


def _smod(a: int, b: int) -> int:
    if not b:
        return 0
    one = signed(a)
    size = abs(one) % abs(signed(b))
    return (-size if one < 0 else size) & MASK


def _sign_extend(position: int, word: int) -> int:
    if position >= BITS // 8 - 1:
        return word
    bits = 8 * (position + 1)
    word &= (1 << bits) - 1
    return (word - (1 << bits)) & MASK if word >> (bits - 1) else word


def _shl(shift: int, word: int) -> int:
    return (word << shift) & MASK if shift < BITS else 0


def _shr(shift: int, word: int) -> int:
    return word >> shift if shift < BITS else 0


def _sar(shift: int, word: int) -> int:
    return (signed(word) >> min(shift, BITS)) & MASK


def _byte(position: int, word: int) -> int:
    return (word >> (8 * (31 - position))) & 0xFF if position < 32 else 0


OPERATIONS: Final[Mapping[str, Callable[..., int]]] = MappingProxyType(
    {
        "add": lambda a, b: (a + b) & MASK,
        "mul": lambda a, b: (a * b) & MASK,
        "sub": lambda a, b: (a - b) & MASK,
        "div": _div,
        "sdiv": _sdiv,
        "mod": _mod,
        "smod": _smod,
        "addmod": lambda a, b, n: (a + b) % n if n else 0,
        "mulmod": lambda a, b, n: (a * b) % n if n else 0,
        "exp": lambda a, b: pow(a, b, 1 << BITS),
        "signextend": _sign_extend,
        "lt": lambda a, b: int(a < b),
        "gt": lambda a, b: int(a > b),
        "slt": lambda a, b: int(signed(a) < signed(b)),
        "sgt": lambda a, b: int(signed(a) > signed(b)),
        "eq": lambda a, b: int(a == b),
        "iszero": lambda a: int(a == 0),
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
        "not": lambda a: a ^ MASK,
        "byte": _byte,
        "shl": _shl,
        "shr": _shr,
        "sar": _sar,
        "fits": lambda a, b: int(a * b <= MASK),
    }
)
"""Operands are words, the top of the stack first; so is what comes out.

`fits` is no instruction: whether a product has no more bits than a word. Compilers ask
it by dividing the product again, and a multiplier is simpler than a divider.
"""
