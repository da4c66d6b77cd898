"""Frequent pairs of opcodes as one operation, mostly a constant and its consumer."""

# Not every operation needs all that the loop passes.
# ruff: noqa: ARG001

from __future__ import annotations

from typing import TYPE_CHECKING

from eth.vm import opcode_values as op

from echidna_mcp_plugins.py_evm.words import MASK

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.words import Operation


def _add(word: int) -> Operation:
    def add_constant(stack: list[int], frame: Frame) -> None:
        stack[-1] = (stack[-1] + word) & MASK

    return add_constant


def _sub(word: int) -> Operation:
    def subtract_from_constant(stack: list[int], frame: Frame) -> None:
        stack[-1] = (word - stack[-1]) & MASK

    return subtract_from_constant


def _and(word: int) -> Operation:
    def mask(stack: list[int], frame: Frame) -> None:
        stack[-1] &= word

    return mask


def _eq(word: int) -> Operation:
    def equals_constant(stack: list[int], frame: Frame) -> None:
        stack[-1] = 1 if stack[-1] == word else 0

    return equals_constant


def _lt(word: int) -> Operation:
    def constant_below(stack: list[int], frame: Frame) -> None:
        stack[-1] = 1 if word < stack[-1] else 0

    return constant_below


def _gt(word: int) -> Operation:
    def constant_above(stack: list[int], frame: Frame) -> None:
        stack[-1] = 1 if word > stack[-1] else 0

    return constant_above


def _shl(word: int) -> Operation:
    shift = min(word, 256)

    def shift_left(stack: list[int], frame: Frame) -> None:
        stack[-1] = (stack[-1] << shift) & MASK

    return shift_left


def _shr(word: int) -> Operation:
    shift = min(word, 256)

    def shift_right(stack: list[int], frame: Frame) -> None:
        stack[-1] >>= shift

    return shift_right


WITH_CONSTANT: dict[int, Callable[[int], Operation]] = {
    op.ADD: _add,
    op.SUB: _sub,
    op.AND: _and,
    op.EQ: _eq,
    op.LT: _lt,
    op.GT: _gt,
    op.SHL: _shl,
    op.SHR: _shr,
}
"""Factories by opcode; the constant is the top of the stack."""


def jump_if(target: int) -> Operation:
    """Return JUMPI to a constant, valid target."""

    def jump_to_constant(stack: list[int], frame: Frame) -> int | None:
        return target if stack.pop() else None

    return jump_to_constant


def jump_unless(target: int) -> Operation:
    """Return ISZERO and JUMPI to a constant, valid target."""

    def jump_to_constant(stack: list[int], frame: Frame) -> int | None:
        return None if stack.pop() else target

    return jump_to_constant


def overwrite(depth: int) -> Operation:
    """Return SWAP1 to SWAP16 and POP."""
    below = -depth

    def store(stack: list[int], frame: Frame) -> None:
        top = stack.pop()
        stack[below] = top

    return store
