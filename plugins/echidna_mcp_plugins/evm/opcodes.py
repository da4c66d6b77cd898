"""Opcodes that end a block: they jump, halt, write, or need the exact gas.

What is not here (calls, creation, other accounts, ...) is py-evm's own code.
"""

# One small function an opcode, named as in the Yellow Paper: a docstring each would
# repeat the name, and not every operation needs all that the loop passes.
# ruff: noqa: ARG001, D103

from __future__ import annotations

from typing import TYPE_CHECKING

from eth.exceptions import (
    InvalidInstruction,
    InvalidJumpDestination,
    OutOfBoundsRead,
    OutOfGas,
    Revert,
    WriteProtection,
)
from eth.vm import opcode_values as op
from eth.vm.forks.berlin.constants import COLD_SLOAD_COST, WARM_STORAGE_READ_COST
from eth.vm.forks.london.storage import GAS_SCHEDULE_EIP3529

if TYPE_CHECKING:
    from echidna_mcp_plugins.evm.frame import Frame
    from echidna_mcp_plugins.evm.words import Operation

_SSTORE_SENTRY = 2300  # EIP-2200
_COPY_WORD = 3
_LOG_BYTE = 8
_LOG_TOPIC = 375
_SET = GAS_SCHEDULE_EIP3529.sstore_set_gas
_RESET = GAS_SCHEDULE_EIP3529.sstore_reset_gas
_CLEARS = GAS_SCHEDULE_EIP3529.sstore_clears_schedule


def copy_words(size: int) -> int:
    """Return the gas for copying `size` bytes."""
    return (size + 31 >> 5) * _COPY_WORD


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


def gas(stack: list[int], frame: Frame) -> None:
    stack.append(frame.gas)


def jump(stack: list[int], frame: Frame) -> int:
    target = stack.pop()
    if target not in frame.program.jumpdests:
        raise InvalidJumpDestination("no JUMPDEST there")
    return target


def jumpi(stack: list[int], frame: Frame) -> int | None:
    target = stack.pop()
    if not stack.pop():
        return None
    if target not in frame.program.jumpdests:
        raise InvalidJumpDestination("no JUMPDEST there")
    return target


def sstore_price(original: int, current: int, value: int) -> tuple[int, int]:
    """Return gas and refund of a warm SSTORE (EIP-2200, EIP-2929, EIP-3529)."""
    if value == current:
        return WARM_STORAGE_READ_COST, 0
    if original == current:
        if not original:
            return _SET, 0
        return _RESET, 0 if value else _CLEARS
    refund = 0
    if original and not current:
        refund -= _CLEARS
    if original and not value:
        refund += _CLEARS
    if original == value:
        refund += (_RESET if original else _SET) - WARM_STORAGE_READ_COST
    return WARM_STORAGE_READ_COST, refund


def sstore(stack: list[int], frame: Frame) -> None:
    if frame.is_static:
        raise WriteProtection("SSTORE in a static call")
    if frame.gas <= _SSTORE_SENTRY:
        raise OutOfGas("SSTORE needs more than 2300 gas")
    slot, value = stack.pop(), stack.pop()
    slots, warm = frame.slots, frame.warm_slots
    current = slots.get(slot, 0)
    original = frame.originals.setdefault(slot, current)
    cost, refund = sstore_price(original, current, value)
    if slot not in warm:
        cost += COLD_SLOAD_COST
        warm[slot] = True
        frame.scope.undo.append((warm, slot, None))
    frame.charge(cost)
    frame.scope.refund += refund
    if value != current:
        frame.state.world.undo.append((slots, slot, slots.get(slot)))
        if value:
            slots[slot] = value
        else:
            del slots[slot]


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


def stop(stack: list[int], frame: Frame) -> None:
    """Do nothing: the block says that the frame ends."""


def return_(stack: list[int], frame: Frame) -> None:
    at, size = stack.pop(), stack.pop()
    frame.extend_memory(at, size)
    frame.output = bytes(frame.memory[at : at + size])


def revert(stack: list[int], frame: Frame) -> None:
    return_(stack, frame)
    raise Revert("REVERT")


def invalid(stack: list[int], frame: Frame) -> None:
    raise InvalidInstruction("undefined opcode")


LAST: dict[int, Operation] = {
    op.CALLDATACOPY: calldatacopy,
    op.CODECOPY: codecopy,
    op.RETURNDATACOPY: returndatacopy,
    op.MCOPY: mcopy,
    op.GAS: gas,
    op.JUMP: jump,
    op.JUMPI: jumpi,
    op.SSTORE: sstore,
    op.TSTORE: tstore,
    op.LOG0: log(0),
    op.LOG1: log(1),
    op.LOG2: log(2),
    op.LOG3: log(3),
    op.LOG4: log(4),
    op.STOP: stop,
    op.RETURN: return_,
    op.REVERT: revert,
}
HALTING = frozenset({op.STOP, op.RETURN, op.REVERT, op.SELFDESTRUCT})
