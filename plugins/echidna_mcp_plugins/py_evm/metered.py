"""Opcodes within a block that can fail: dynamic gas, memory, static calls."""

# One small function an opcode, named as in the Yellow Paper: a docstring each would
# repeat the name.
# ruff: noqa: D103

from __future__ import annotations

from typing import TYPE_CHECKING

from eth.exceptions import OutOfBoundsRead, WriteProtection
from eth.vm import opcode_values as op
from eth.vm.forks.berlin.constants import COLD_SLOAD_COST, WARM_STORAGE_READ_COST

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.words import Operation

_EXP_BYTE = 50  # EIP-160
_KECCAK_WORD = 6
_COPY_WORD = 3
_LOG_BYTE = 8
_LOG_TOPIC = 375
_CEILING = 1 << 256


def copy_words(size: int) -> int:
    """Return the gas for copying `size` bytes."""
    return (size + 31 >> 5) * _COPY_WORD


def mload(stack: list[int], frame: Frame) -> None:
    at = stack[-1]
    if at + 32 > len(frame.memory):
        frame.extend_memory(at, 32)
    stack[-1] = int.from_bytes(frame.memory[at : at + 32], "big")


def mload_at(at: int) -> Operation:
    """Return PUSH and MLOAD in one."""
    end = at + 32

    def load(stack: list[int], frame: Frame) -> None:
        if end > len(frame.memory):
            frame.extend_memory(at, 32)
        stack.append(int.from_bytes(frame.memory[at:end], "big"))

    return load


def mstore(stack: list[int], frame: Frame) -> None:
    at, memory = stack.pop(), frame.memory
    end = at + 32
    if end > len(memory):
        frame.extend_memory(at, 32)
    memory[at:end] = stack.pop().to_bytes(32, "big")


def mstore_at(at: int) -> Operation:
    """Return PUSH and MSTORE in one."""
    end = at + 32

    def store(stack: list[int], frame: Frame) -> None:
        memory = frame.memory
        if end > len(memory):
            frame.extend_memory(at, 32)
        memory[at:end] = stack.pop().to_bytes(32, "big")

    return store


def mstore8(stack: list[int], frame: Frame) -> None:
    at = stack.pop()
    if at >= len(frame.memory):
        frame.extend_memory(at, 1)
    frame.memory[at] = stack.pop() & 0xFF


def keccak(stack: list[int], frame: Frame) -> None:
    at, size = stack.pop(), stack[-1]
    frame.charge((size + 31 >> 5) * _KECCAK_WORD)
    frame.extend_memory(at, size)
    stack[-1] = frame.state.keccak(bytes(frame.memory[at : at + size]))


def exp(stack: list[int], frame: Frame) -> None:
    base, exponent = stack.pop(), stack[-1]
    frame.charge((exponent.bit_length() + 7 >> 3) * _EXP_BYTE)
    stack[-1] = pow(base, exponent, _CEILING)


def sload(stack: list[int], frame: Frame) -> None:
    slot, warm = stack[-1], frame.warm_slots
    if slot in warm:
        frame.charge(WARM_STORAGE_READ_COST)
    else:
        frame.charge(COLD_SLOAD_COST)
        warm[slot] = True
        frame.scope.undo.append((warm, slot, None))
    stack[-1] = frame.slots.get(slot, 0)


def calldatacopy(stack: list[int], frame: Frame) -> None:
    to, start, size = stack.pop(), stack.pop(), stack.pop()
    frame.charge(copy_words(size))
    frame.extend_memory(to, size)
    data = frame.calldata[start : start + size]
    frame.memory[to : to + size] = data.ljust(size, b"\0")


def codecopy(stack: list[int], frame: Frame) -> None:
    to, start, size = stack.pop(), stack.pop(), stack.pop()
    frame.charge(copy_words(size))
    frame.extend_memory(to, size)
    data = frame.program.code[start : start + size]
    frame.memory[to : to + size] = data.ljust(size, b"\0")


def returndatacopy(stack: list[int], frame: Frame) -> None:
    to, start, size = stack.pop(), stack.pop(), stack.pop()
    if start + size > len(frame.return_data):
        raise OutOfBoundsRead("return data is shorter")
    frame.charge(copy_words(size))
    frame.extend_memory(to, size)
    frame.memory[to : to + size] = frame.return_data[start : start + size]


def mcopy(stack: list[int], frame: Frame) -> None:
    to, start, size = stack.pop(), stack.pop(), stack.pop()
    frame.charge(copy_words(size))
    frame.extend_memory(max(to, start), size)
    frame.memory[to : to + size] = frame.memory[start : start + size]


def tstore(stack: list[int], frame: Frame) -> None:
    if frame.is_static:
        raise WriteProtection("TSTORE in a static call")
    key = (frame.address, stack.pop())
    transient = frame.scope.transient
    frame.scope.undo.append((transient, key, transient.get(key)))
    transient[key] = stack.pop()


def log(topics: int) -> Operation:
    """Return LOG0 to LOG4."""

    def emit(stack: list[int], frame: Frame) -> None:
        if frame.is_static:
            raise WriteProtection("LOG in a static call")
        at, size = stack.pop(), stack.pop()
        words = tuple([stack.pop() for _ in range(topics)])
        frame.charge(_LOG_BYTE * size + _LOG_TOPIC * topics)
        frame.extend_memory(at, size)
        frame.scope.log(frame.address, words, bytes(frame.memory[at : at + size]))

    return emit


METERED: dict[int, Operation] = {
    op.MLOAD: mload,
    op.MSTORE: mstore,
    op.MSTORE8: mstore8,
    op.SHA3: keccak,
    op.EXP: exp,
    op.SLOAD: sload,
    op.CALLDATACOPY: calldatacopy,
    op.CODECOPY: codecopy,
    op.RETURNDATACOPY: returndatacopy,
    op.MCOPY: mcopy,
    op.TSTORE: tstore,
    op.LOG0: log(0),
    op.LOG1: log(1),
    op.LOG2: log(2),
    op.LOG3: log(3),
    op.LOG4: log(4),
}

METERED_AT: dict[int, Callable[[int], Operation]] = {
    op.MLOAD: mload_at,
    op.MSTORE: mstore_at,
}
"""Factories by opcode; the constant is the place in memory."""
