"""The opcodes of the fork: who executes them, static gas, stack bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eth.vm import opcode_values as op
from eth.vm.forks.byzantium.opcodes import ensure_no_static
from eth.vm.forks.cancun.logic import selfdestruct_eip6780
from eth.vm.forks.cancun.opcodes import CANCUN_OPCODES
from eth.vm.forks.tangerine_whistle.constants import GAS_SELFDESTRUCT_EIP150
from eth.vm.opcode import _FastOpcode

from echidna_mcp_plugins.evm.environment import ENVIRONMENT
from echidna_mcp_plugins.evm.fusion import overwrite
from echidna_mcp_plugins.evm.opcodes import LAST
from echidna_mcp_plugins.evm.words import WORD_OPERATIONS, dup, swap

if TYPE_CHECKING:
    from collections.abc import Callable

    from echidna_mcp_plugins.evm.frame import Frame
    from echidna_mcp_plugins.evm.words import Operation


def _pyevm(call: Callable[..., Any]) -> Operation:
    """Wrap an opcode of py-evm, which does its own stack and dynamic gas."""

    def run(stack: list[int], frame: Frame) -> None:  # noqa: ARG001
        call(frame)

    return run


def _last_operations() -> dict[int, Operation]:
    operations: dict[int, Operation] = {}
    for opcode, entry in CANCUN_OPCODES.items():
        if opcode == op.SELFDESTRUCT:
            # The table's entry warns that the opcode is deprecated, each time.
            logic: Callable[..., Any] = ensure_no_static(selfdestruct_eip6780)
        elif isinstance(entry, _FastOpcode):
            logic = entry.logic_fn
        else:
            # A bound method instead of the callable object: calls of Python functions
            # by Python functions need no C stack, whatever the depth.
            logic = entry.__call__
        operations[opcode] = _pyevm(logic)
    return operations | LAST


def _static_gas() -> dict[int, int]:
    return {
        opcode: entry.gas_cost
        for opcode, entry in CANCUN_OPCODES.items()
        if isinstance(entry, _FastOpcode)
    } | {op.SELFDESTRUCT: GAS_SELFDESTRUCT_EIP150}


def _stack_effects() -> dict[int, tuple[int, int]]:
    """Return (pops, pushes) by opcode."""
    effects = {
        (0, 0): (op.STOP, op.JUMPDEST),
        (0, 1): (
            *(op.ADDRESS, op.ORIGIN, op.CALLER, op.CALLVALUE, op.CALLDATASIZE),
            *(op.CODESIZE, op.GASPRICE, op.RETURNDATASIZE, op.COINBASE, op.TIMESTAMP),
            *(op.NUMBER, op.DIFFICULTY, op.GASLIMIT, op.CHAINID, op.SELFBALANCE),
            *(op.BASEFEE, op.BLOBBASEFEE, op.PC, op.MSIZE, op.GAS),
            *range(op.PUSH0, op.PUSH32 + 1),
        ),
        (1, 0): (op.POP, op.JUMP, op.SELFDESTRUCT),
        (1, 1): (
            *(op.ISZERO, op.NOT, op.BALANCE, op.CALLDATALOAD, op.EXTCODESIZE),
            *(op.EXTCODEHASH, op.BLOCKHASH, op.BLOBHASH, op.MLOAD, op.SLOAD, op.TLOAD),
        ),
        (2, 0): (
            *(op.MSTORE, op.MSTORE8, op.SSTORE, op.TSTORE, op.JUMPI, op.RETURN),
            *(op.REVERT, op.LOG0),
        ),
        (2, 1): (
            *(op.ADD, op.MUL, op.SUB, op.DIV, op.SDIV, op.MOD, op.SMOD, op.EXP),
            *(op.SIGNEXTEND, op.LT, op.GT, op.SLT, op.SGT, op.EQ, op.AND, op.OR),
            *(op.XOR, op.BYTE, op.SHL, op.SHR, op.SAR, op.SHA3),
        ),
        (3, 0): (op.CALLDATACOPY, op.CODECOPY, op.RETURNDATACOPY, op.MCOPY, op.LOG1),
        (3, 1): (op.ADDMOD, op.MULMOD, op.CREATE),
        (4, 0): (op.EXTCODECOPY, op.LOG2),
        (4, 1): (op.CREATE2,),
        (5, 0): (op.LOG3,),
        (6, 0): (op.LOG4,),
        (6, 1): (op.DELEGATECALL, op.STATICCALL),
        (7, 1): (op.CALL, op.CALLCODE),
    }
    table = {opcode: effect for effect, group in effects.items() for opcode in group}
    for n in range(1, 17):
        table[op.DUP1 + n - 1] = (n, n + 1)
        table[op.SWAP1 + n - 1] = (n + 1, n + 1)
    return table


STACK_EFFECTS = _stack_effects()
STATIC_GAS = _static_gas()
LAST_OPERATIONS = _last_operations()
_SWAPS = {n: swap(n) for n in range(1, 17)}
AFTER_SWAP = {operation: overwrite(n) for n, operation in _SWAPS.items()}
PLAIN_OPERATIONS = (
    WORD_OPERATIONS
    | ENVIRONMENT
    | {op.DUP1 + n - 1: dup(n) for n in range(1, 17)}
    | {op.SWAP1 + n - 1: operation for n, operation in _SWAPS.items()}
)
