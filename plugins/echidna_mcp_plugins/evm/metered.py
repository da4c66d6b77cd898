"""Opcodes with dynamic gas that may stand in the midst of a prepaid block.

They leave frame and stack untouched and raise `UnaffordableError` if the gas that is
left after paying for the whole block does not suffice; the frame then goes on by single
instructions.
"""

# One small function an opcode, named as in the Yellow Paper: a docstring each would
# repeat the name.
# ruff: noqa: D103

from __future__ import annotations

from typing import TYPE_CHECKING

from eth.vm import opcode_values as op
from eth.vm.forks.berlin.constants import COLD_SLOAD_COST, WARM_STORAGE_READ_COST

from echidna_mcp_plugins.evm.errors import UnaffordableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp_plugins.evm.frame import Frame
    from echidna_mcp_plugins.evm.words import Operation

_EXP_BYTE = 50  # EIP-160
_KECCAK_WORD = 6
_CEILING = 1 << 256


def mload(pc: int) -> Operation:
    def load(stack: list[int], frame: Frame) -> None:
        at = stack[-1]
        if at + 32 > len(frame.memory):
            frame.grow_or_rewind(at + 32, 0, pc)
        stack[-1] = int.from_bytes(frame.memory[at : at + 32], "big")

    return load


def mload_at(at: int, pc: int) -> Operation:
    """Return PUSH and MLOAD in one; `pc` is that of PUSH."""
    end = at + 32

    def load(stack: list[int], frame: Frame) -> None:
        if end > len(frame.memory):
            frame.grow_or_rewind(end, 0, pc)
        stack.append(int.from_bytes(frame.memory[at:end], "big"))

    return load


def mstore(pc: int) -> Operation:
    def store(stack: list[int], frame: Frame) -> None:
        at, memory = stack[-1], frame.memory
        end = at + 32
        if end > len(memory):
            frame.grow_or_rewind(end, 0, pc)
        del stack[-1]
        memory[at:end] = stack.pop().to_bytes(32, "big")

    return store


def mstore_at(at: int, pc: int) -> Operation:
    """Return PUSH and MSTORE in one; `pc` is that of PUSH."""
    end = at + 32

    def store(stack: list[int], frame: Frame) -> None:
        memory = frame.memory
        if end > len(memory):
            frame.grow_or_rewind(end, 0, pc)
        memory[at:end] = stack.pop().to_bytes(32, "big")

    return store


def mstore8(pc: int) -> Operation:
    def store(stack: list[int], frame: Frame) -> None:
        at = stack[-1]
        if at >= len(frame.memory):
            frame.grow_or_rewind(at + 1, 0, pc)
        del stack[-1]
        frame.memory[at] = stack.pop() & 0xFF

    return store


def keccak(pc: int) -> Operation:
    def digest(stack: list[int], frame: Frame) -> None:
        at, size = stack[-1], stack[-2]
        end = at + size if size else 0
        frame.grow_or_rewind(end, (size + 31 >> 5) * _KECCAK_WORD, pc)
        del stack[-1]
        stack[-1] = frame.state.keccak(bytes(frame.memory[at:end]))

    return digest


def sload(pc: int) -> Operation:
    def load(stack: list[int], frame: Frame) -> None:
        slot = stack[-1]
        warm = frame.warm_slots
        cost = WARM_STORAGE_READ_COST if slot in warm else COLD_SLOAD_COST
        if cost > frame.gas:
            raise UnaffordableError(pc)
        frame.gas -= cost
        if slot not in warm:
            warm[slot] = True
            frame.scope.undo.append((warm, slot, None))
        stack[-1] = frame.slots.get(slot, 0)

    return load


def exp(pc: int) -> Operation:
    def power(stack: list[int], frame: Frame) -> None:
        exponent = stack[-2]
        cost = (exponent.bit_length() + 7 >> 3) * _EXP_BYTE
        if cost > frame.gas:
            raise UnaffordableError(pc)
        frame.gas -= cost
        base = stack.pop()
        stack[-1] = pow(base, exponent, _CEILING)

    return power


METERED: dict[int, Callable[[int], Operation]] = {
    op.MLOAD: mload,
    op.MSTORE: mstore,
    op.MSTORE8: mstore8,
    op.SHA3: keccak,
    op.SLOAD: sload,
    op.EXP: exp,
}
"""Factories by opcode; they take the program counter to rewind to."""

METERED_AT: dict[int, Callable[[int, int], Operation]] = {
    op.MLOAD: mload_at,
    op.MSTORE: mstore_at,
}
