"""Signals inside the EVM; none leaves it."""

from __future__ import annotations


class UnaffordableError(Exception):
    """An operation in the midst of a prepaid block can't pay its dynamic gas.

    Attributes:
        pc: program counter of the first instruction that the operation stands for;
            nothing of it has been done.
    """

    def __init__(self, pc: int) -> None:
        super().__init__(pc)
        self.pc = pc
