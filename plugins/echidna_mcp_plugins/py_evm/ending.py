"""Opcodes that end a block: they jump, halt, or depend on the exact gas.

Calls and creations end blocks as well; they are py-evm's own code.
"""

# One small function an opcode, named as in the Yellow Paper: a docstring each would
# repeat the name, and not every operation needs all that the loop passes.
# ruff: noqa: ARG001, D103

from __future__ import annotations

from typing import TYPE_CHECKING

from eth.exceptions import (
    InvalidInstruction,
    InvalidJumpDestination,
    OutOfGas,
    Revert,
    WriteProtection,
)
from eth.vm import opcode_values as op
from eth.vm.forks.berlin.constants import COLD_SLOAD_COST, WARM_STORAGE_READ_COST
from eth.vm.forks.london.storage import GAS_SCHEDULE_EIP3529

from echidna_mcp.evm.states import SELECTOR, WRITTEN
from echidna_mcp_plugins.py_evm.world import Writing

if TYPE_CHECKING:
    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.words import Operation

_SSTORE_SENTRY = 2300  # EIP-2200
_SET = GAS_SCHEDULE_EIP3529.sstore_set_gas
_RESET = GAS_SCHEDULE_EIP3529.sstore_reset_gas
_CLEARS = GAS_SCHEDULE_EIP3529.sstore_clears_schedule


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


def _writer(calldata: bytes) -> int:
    """Return what stands for words that a frame with this calldata writes."""
    whole = len(calldata) >= SELECTOR
    return WRITTEN | (int.from_bytes(calldata[:SELECTOR], "big") if whole else 0)


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
        entry, undo = (slots, slot, slots.get(slot)), frame.state.world.undo
        undo.append(entry)
        if frame.scope.tells_mappings:
            writer = _writer(frame.calldata)
            frame.scope.writings.append(Writing(len(undo) - 1, entry, writer))
        if value:
            slots[slot] = value
        else:
            del slots[slot]


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


ENDING: dict[int, Operation] = {
    op.GAS: gas,
    op.JUMP: jump,
    op.JUMPI: jumpi,
    op.SSTORE: sstore,
    op.STOP: stop,
    op.RETURN: return_,
    op.REVERT: revert,
}
HALTING = frozenset({op.STOP, op.RETURN, op.REVERT, op.SELFDESTRUCT})
