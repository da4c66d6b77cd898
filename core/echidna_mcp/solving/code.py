"""Code, as far as its branches have to be known before they are taken."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Final

_STOP: Final = 0x00
_JUMP: Final = 0x56
_JUMPI: Final = 0x57
_JUMPDEST: Final = 0x5B
_PUSH0: Final = 0x5F
_PUSH1: Final = 0x60
_PUSH32: Final = 0x7F
_ENDS: Final = frozenset({0x00, 0x56, 0xF3, 0xFD, 0xFE, 0xFF})
_PANIC: Final = 0x4E487B71
_ASSERTION: Final = 1
_MOST_BLOCKS: Final = 8
_FAR: Final = 64
"""Instructions of a way that is looked at."""


class Side(IntEnum):
    """What one side of a branch leads to, as far as can be seen; the best is first."""

    OPEN = 0
    FAILED_ASSERTION = 1
    REVERT = 2
    """Nothing but the end of the frame, in vain."""


@dataclass(frozen=True)
class Code:
    """Some code, and how coverage names it."""

    key: str
    data: bytes

    @cached_property
    def pushes(self) -> dict[int, tuple[int, int]]:
        """(what is pushed, the next counter) of each PUSH, by its counter."""
        return self._read[0]

    @cached_property
    def destinations(self) -> frozenset[int]:
        """The counters of all JUMPDESTs."""
        return self._read[1]

    @cached_property
    def branches(self) -> tuple[tuple[int, int | None], ...]:
        """(JUMPI, where it jumps to if that is pushed before it)."""
        return self._read[2]

    @cached_property
    def _read(
        self,
    ) -> tuple[
        dict[int, tuple[int, int]],
        frozenset[int],
        tuple[tuple[int, int | None], ...],
    ]:
        pushes, destinations = {}, set()
        branches: list[tuple[int, int | None]] = []
        at, last = 0, None
        while at < len(self.data):
            op = self.data[at]
            if _PUSH0 <= op <= _PUSH32:
                size = op - _PUSH0
                end = at + 1 + size
                known = self.data[at + 1 : end].ljust(size, b"\0")
                last = int.from_bytes(known, "big")
                pushes[at] = (last, end)
                at = end
                continue
            if op == _JUMPDEST:
                destinations.add(at)
            elif op == _JUMPI:
                branches.append((at, last))
            last = None
            at += 1
        return pushes, frozenset(destinations), tuple(branches)

    def side(self, start: int) -> Side:
        """Return what the block at a counter leads to."""
        known = self._sides.get(start)
        if known is None:
            known = self._sides[start] = self._look(start)
        return known

    @cached_property
    def _sides(self) -> dict[int, Side]:
        return {}

    def _look(self, at: int) -> Side:
        """Follow jumps to where code branches or ends."""
        constants: list[int] = []
        stack: list[int | None] = []
        blocks = 0
        for _ in range(_FAR):
            if at >= len(self.data):
                return Side.OPEN
            op = self.data[at]
            if at in self.pushes:
                value, at = self.pushes[at]
                constants.append(value)
                stack.append(value)
                continue
            if op == _JUMP:
                target = stack[-1] if stack else None
                blocks += 1
                if target is None or blocks > _MOST_BLOCKS:
                    return Side.OPEN
                at = target
                stack.clear()
                continue
            if op == 0xFE:
                return Side.FAILED_ASSERTION
            if op == 0xFD:
                return self._revert(constants)
            if op == _JUMPI or op in _ENDS or op >= 0xF0:
                return Side.OPEN
            if op in (0x54, 0x55):
                return Side.OPEN
            if op != _JUMPDEST:
                stack.append(None)
            at += 1
        return Side.OPEN

    def _revert(self, constants: list[int]) -> Side:
        panics = any(each == _PANIC or each >> 224 == _PANIC for each in constants)
        if panics and _ASSERTION in constants:
            return Side.FAILED_ASSERTION
        return Side.REVERT
