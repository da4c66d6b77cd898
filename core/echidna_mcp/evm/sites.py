"""Comparisons as instructions: where they stand, and how far their operands are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

ISZERO: Final = 0x15
DIFFERENCES: Final = frozenset({0x03, 0x18})
"""SUB and XOR, which compare if they decide a jump (`echidna_mcp.evm.backend`)."""
COMPARING: Final[Mapping[int, str]] = {
    0x03: "SUB",
    0x10: "LT",
    0x11: "GT",
    0x12: "SLT",
    0x13: "SGT",
    0x14: "EQ",
    ISZERO: "ISZERO",
    0x18: "XOR",
}
"""The names of the instructions that compare, by opcode."""

_SIGNED: Final = frozenset({0x12, 0x13})
_LESS: Final = frozenset({0x10, 0x12})
_GREATER: Final = frozenset({0x11, 0x13})
_SIGN: Final = 1 << 255


class SiteComparison(NamedTuple):
    """A comparison that a frame has made.

    Attributes:
        counter: program counter of the instruction.
        opcode: one of `COMPARING`.
        left, right: the operands, 256-bit words; `left` was the top of the stack. That
            of ISZERO is compared with 0.
    """

    counter: int
    opcode: int
    left: int
    right: int

    @property
    def holds(self) -> bool:
        """Its outcome."""
        left, right = self._numbers
        if self.opcode in _LESS:
            return left < right
        if self.opcode in _GREATER:
            return left > right
        return left == right

    @property
    def distance(self) -> int:
        """How far the operands are from each other, below 2^256."""
        left, right = self._numbers
        return abs(left - right)

    @property
    def _numbers(self) -> tuple[int, int]:
        if self.opcode not in _SIGNED:
            return self.left, self.right
        return _signed(self.left), _signed(self.right)


def _signed(word: int) -> int:
    return (word ^ _SIGN) - _SIGN
