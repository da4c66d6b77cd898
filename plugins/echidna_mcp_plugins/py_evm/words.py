"""Opcodes that touch nothing but the stack.

An operation takes the stack and the frame; the decoder has already checked that the
stack is deep enough and that static gas is paid. The stack holds integers only.
"""

# One small function an opcode, named as in the Yellow Paper: a docstring each would
# repeat the name, and not every operation needs all that the loop passes.
# ruff: noqa: ARG001, D103

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from eth.vm import opcode_values as op

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp_plugins.py_evm.frame import Frame

    Operation: TypeAlias = Callable[[list[int], Frame], int | None]
    """Executes one or more instructions; returns the target of a jump taken."""

MASK = (1 << 256) - 1
_SIGN = 1 << 255
_CEILING = 1 << 256


def _signed(word: int) -> int:
    return word - _CEILING if word & _SIGN else word


def add(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    stack[-1] = (left + stack[-1]) & MASK


def mul(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    stack[-1] = (left * stack[-1]) & MASK


def sub(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    stack[-1] = (left - stack[-1]) & MASK


def div(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    right = stack[-1]
    if right:
        stack[-1] = left // right


def sdiv(stack: list[int], frame: Frame) -> None:
    left, right = _signed(stack.pop()), _signed(stack[-1])
    if right:
        quotient = abs(left) // abs(right)
        stack[-1] = (quotient if (left < 0) == (right < 0) else -quotient) & MASK


def mod(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    right = stack[-1]
    if right:
        stack[-1] = left % right


def smod(stack: list[int], frame: Frame) -> None:
    left, right = _signed(stack.pop()), _signed(stack[-1])
    if right:
        remainder = abs(left) % abs(right)
        stack[-1] = (remainder if left >= 0 else -remainder) & MASK


def addmod(stack: list[int], frame: Frame) -> None:
    left, right = stack.pop(), stack.pop()
    modulus = stack[-1]
    if modulus:
        stack[-1] = (left + right) % modulus


def mulmod(stack: list[int], frame: Frame) -> None:
    left, right = stack.pop(), stack.pop()
    modulus = stack[-1]
    if modulus:
        stack[-1] = left * right % modulus


def signextend(stack: list[int], frame: Frame) -> None:
    size = stack.pop()
    if size < 31:
        sign = 1 << (size * 8 + 7)
        word = stack[-1] & ((sign << 1) - 1)
        stack[-1] = word | (_CEILING - sign) if word & sign else word


def lt(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    stack[-1] = 1 if left < stack[-1] else 0


def gt(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    stack[-1] = 1 if left > stack[-1] else 0


def slt(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    # Flipping the sign bit turns signed order into unsigned order.
    stack[-1] = 1 if left ^ _SIGN < stack[-1] ^ _SIGN else 0


def sgt(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    stack[-1] = 1 if left ^ _SIGN > stack[-1] ^ _SIGN else 0


def eq(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    stack[-1] = 1 if left == stack[-1] else 0


def iszero(stack: list[int], frame: Frame) -> None:
    stack[-1] = 0 if stack[-1] else 1


def and_(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    stack[-1] &= left


def or_(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    stack[-1] |= left


def xor(stack: list[int], frame: Frame) -> None:
    left = stack.pop()
    stack[-1] ^= left


def not_(stack: list[int], frame: Frame) -> None:
    stack[-1] ^= MASK


def byte(stack: list[int], frame: Frame) -> None:
    at = stack.pop()
    stack[-1] = (stack[-1] >> (248 - 8 * at)) & 0xFF if at < 32 else 0


def shl(stack: list[int], frame: Frame) -> None:
    shift = stack.pop()
    stack[-1] = (stack[-1] << shift) & MASK if shift < 256 else 0


def shr(stack: list[int], frame: Frame) -> None:
    shift = stack.pop()
    stack[-1] = stack[-1] >> shift if shift < 256 else 0


def sar(stack: list[int], frame: Frame) -> None:
    shift = stack.pop()
    stack[-1] = (_signed(stack[-1]) >> min(shift, 255)) & MASK


def pop(stack: list[int], frame: Frame) -> None:
    del stack[-1]


WORD_OPERATIONS: dict[int, Operation] = {
    op.ADD: add,
    op.MUL: mul,
    op.SUB: sub,
    op.DIV: div,
    op.SDIV: sdiv,
    op.MOD: mod,
    op.SMOD: smod,
    op.ADDMOD: addmod,
    op.MULMOD: mulmod,
    op.SIGNEXTEND: signextend,
    op.LT: lt,
    op.GT: gt,
    op.SLT: slt,
    op.SGT: sgt,
    op.EQ: eq,
    op.ISZERO: iszero,
    op.AND: and_,
    op.OR: or_,
    op.XOR: xor,
    op.NOT: not_,
    op.BYTE: byte,
    op.SHL: shl,
    op.SHR: shr,
    op.SAR: sar,
    op.POP: pop,
}


def push(words: tuple[int, ...]) -> Operation:
    """Return an operation that pushes constants."""
    if len(words) == 1:
        (word,) = words

        def push_one(stack: list[int], frame: Frame) -> None:
            stack.append(word)

        return push_one

    def push_all(stack: list[int], frame: Frame) -> None:
        stack.extend(words)

    return push_all


def dup(depth: int) -> Operation:
    """Return DUP1 to DUP16."""
    below = -depth

    def duplicate(stack: list[int], frame: Frame) -> None:
        stack.append(stack[below])

    return duplicate


def swap(depth: int) -> Operation:
    """Return SWAP1 to SWAP16."""
    other = -depth - 1

    def exchange(stack: list[int], frame: Frame) -> None:
        stack[-1], stack[other] = stack[other], stack[-1]

    return exchange
