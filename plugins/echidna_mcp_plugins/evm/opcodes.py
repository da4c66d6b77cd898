"""Opcodes that touch the frame: environment, memory, storage, flow, logs.

What is not here (calls, creation, other accounts, ...) is py-evm's own code.
"""

# One small function an opcode, named as in the Yellow Paper: a docstring each would
# repeat the name.
# ruff: noqa: D103

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

from echidna_mcp_plugins.evm.errors import UnaffordableError

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp_plugins.evm.frame import Frame
    from echidna_mcp_plugins.evm.words import Operation

_SSTORE_SENTRY = 2300  # EIP-2200
_EXP_BYTE = 50  # EIP-160
_COPY_WORD = 3
_KECCAK_WORD = 6
_LOG_BYTE = 8
_LOG_TOPIC = 375
_NEVER = 1 << 256
_SET = GAS_SCHEDULE_EIP3529.sstore_set_gas
_RESET = GAS_SCHEDULE_EIP3529.sstore_reset_gas
_CLEARS = GAS_SCHEDULE_EIP3529.sstore_clears_schedule


# ------------------------------------------------------------------ environment


def address(stack: list[int], frame: Frame) -> None:
    stack.append(int.from_bytes(frame.address, "big"))


def origin(stack: list[int], frame: Frame) -> None:
    stack.append(int.from_bytes(frame.scope.origin, "big"))


def caller(stack: list[int], frame: Frame) -> None:
    stack.append(int.from_bytes(frame.msg.sender, "big"))


def callvalue(stack: list[int], frame: Frame) -> None:
    stack.append(frame.msg.value)


def calldataload(stack: list[int], frame: Frame) -> None:
    at = stack[-1]
    stack[-1] = int.from_bytes(frame.calldata[at : at + 32].ljust(32, b"\0"), "big")


def calldatasize(stack: list[int], frame: Frame) -> None:
    stack.append(len(frame.calldata))


def codesize(stack: list[int], frame: Frame) -> None:
    stack.append(len(frame.program.code))


def gasprice(stack: list[int], frame: Frame) -> None:
    stack.append(frame.scope.gas_price)


def returndatasize(stack: list[int], frame: Frame) -> None:
    stack.append(len(frame.return_data))


def coinbase(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.block.coinbase)


def timestamp(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.timestamp)


def number(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.number)


def prevrandao(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.block.prev_randao)


def gaslimit(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.block.gas_limit)


def chainid(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.block.chain_id)


def selfbalance(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.world.balances.get(frame.address, 0))


def basefee(stack: list[int], frame: Frame) -> None:
    stack.append(frame.state.block.base_fee)


def blobhash(stack: list[int], frame: Frame) -> None:
    stack[-1] = 0  # no message carries blobs


def blobbasefee(stack: list[int], frame: Frame) -> None:
    stack.append(0)


def msize(stack: list[int], frame: Frame) -> None:
    stack.append(len(frame.memory))


def tload(stack: list[int], frame: Frame) -> None:
    stack[-1] = frame.scope.transient.get((frame.address, stack[-1]), 0)


ENVIRONMENT: dict[int, Operation] = {
    op.ADDRESS: address,
    op.ORIGIN: origin,
    op.CALLER: caller,
    op.CALLVALUE: callvalue,
    op.CALLDATALOAD: calldataload,
    op.CALLDATASIZE: calldatasize,
    op.CODESIZE: codesize,
    op.GASPRICE: gasprice,
    op.RETURNDATASIZE: returndatasize,
    op.COINBASE: coinbase,
    op.TIMESTAMP: timestamp,
    op.NUMBER: number,
    op.DIFFICULTY: prevrandao,
    op.GASLIMIT: gaslimit,
    op.CHAINID: chainid,
    op.SELFBALANCE: selfbalance,
    op.BASEFEE: basefee,
    op.BLOBHASH: blobhash,
    op.BLOBBASEFEE: blobbasefee,
    op.MSIZE: msize,
    op.TLOAD: tload,
}
"""Operations without gas of their own beyond the static one."""


# ------------------------------------ dynamic gas, possibly in the midst of a block
#
# These leave frame and stack untouched and raise UnaffordableError if the gas that is
# left after paying the whole block does not suffice; the frame then goes on by single
# instructions.


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
        stack[-1] = pow(base, exponent, _NEVER)

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


# ------------------------------------------------------------------ end of a block


def copy_words(size: int) -> int:
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


def sstore(stack: list[int], frame: Frame) -> None:
    """Execute SSTORE (EIP-2200 with the prices of EIP-2929 and EIP-3529)."""
    if frame.is_static:
        raise WriteProtection("SSTORE in a static call")
    if frame.gas <= _SSTORE_SENTRY:
        raise OutOfGas("SSTORE needs more than 2300 gas")
    slot, value = stack.pop(), stack.pop()
    slots, warm = frame.slots, frame.warm_slots
    current = slots.get(slot, 0)
    cost = WARM_STORAGE_READ_COST
    refund = 0
    if value != current:
        original = frame.originals.setdefault(slot, current)
        if original == current:
            cost = _RESET if original else _SET
            if original and not value:
                refund = _CLEARS
        else:
            if original:
                if not current:
                    refund -= _CLEARS
                if not value:
                    refund += _CLEARS
            if original == value:
                refund += (_RESET if original else _SET) - WARM_STORAGE_READ_COST
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
"""Operations that end a block: they jump, halt, write, or need the exact gas."""

HALTING = frozenset({op.STOP, op.RETURN, op.REVERT, op.SELFDESTRUCT})
