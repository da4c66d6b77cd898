"""The opcodes of a fork: who executes them, static gas, stack bounds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from eth.vm import opcode_values as op
from eth.vm.forks.byzantium.opcodes import ensure_no_static
from eth.vm.forks.tangerine_whistle.constants import GAS_SELFDESTRUCT_EIP150
from eth.vm.opcode import _FastOpcode

from echidna_mcp_plugins.py_evm.ending import ENDING
from echidna_mcp_plugins.py_evm.environment import ENVIRONMENT
from echidna_mcp_plugins.py_evm.fusion import WITH_CONSTANT, overwrite
from echidna_mcp_plugins.py_evm.metered import METERED, METERED_AT
from echidna_mcp_plugins.py_evm.words import WORD_OPERATIONS, dup, swap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eth.abc import OpcodeAPI

    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.words import Operation

CLZ = 0x1E


@dataclass(frozen=True, slots=True, kw_only=True)
class OpcodeTable:
    """What the decoder asks about opcodes; what it does not know is undefined.

    Attributes:
        gas: static gas; an opcode that has none is missing.
        effects: (pops, pushes).
        within: what may stand in the midst of a block, apart from PUSH, PC, JUMPDEST.
        ending: what ends a block.
        with_constant: factories of operations that are one with the constant before.
        deciding: what is different about opcodes whose result decides a jump.
        behind_difference: what is different about opcodes right behind SUB or XOR.
        sited: factories of operations that know at which program counter they stand;
            they take the place of all others.
    """

    gas: Mapping[int, int]
    effects: Mapping[int, tuple[int, int]]
    within: Mapping[int, Operation]
    ending: Mapping[int, Operation]
    with_constant: Mapping[int, Callable[[int], Operation]]
    deciding: Mapping[int, Operation]
    behind_difference: Mapping[int, Operation]
    sited: Mapping[int, Callable[[int], Operation]] = field(default_factory=dict)


class Addition(NamedTuple):
    """An opcode that py-evm does not have; it does not end a block."""

    gas: int
    pops: int
    pushes: int
    operation: Operation


def opcode_table(
    opcodes: Mapping[int, OpcodeAPI],
    selfdestruct: Callable[..., None],
    added: Mapping[int, Addition],
) -> OpcodeTable:
    """Return the table of a fork.

    Args:
        opcodes: as py-evm has them.
        selfdestruct: what SELFDESTRUCT does.
        added: what py-evm does not have.
    """
    within = {
        opcode: _pyevm(opcodes[opcode])
        for opcode in (
            *(op.BALANCE, op.EXTCODESIZE, op.EXTCODECOPY, op.EXTCODEHASH),
            op.BLOCKHASH,
        )
    } | {opcode: run for opcode, run in _WITHIN.items() if opcode in opcodes}
    ending = {
        opcode: _pyevm(opcodes[opcode])
        for opcode in (
            *(op.CALL, op.CALLCODE, op.DELEGATECALL, op.STATICCALL),
            *(op.CREATE, op.CREATE2),
        )
    }
    # py-evm's entry warns that the opcode is deprecated, each time.
    ending[op.SELFDESTRUCT] = _wrapped(ensure_no_static(selfdestruct))
    return OpcodeTable(
        gas=_static_gas(opcodes) | {n: each.gas for n, each in added.items()},
        effects={n: both for n, both in _stack_effects().items() if n in opcodes}
        | {n: (each.pops, each.pushes) for n, each in added.items()},
        within=within | {n: each.operation for n, each in added.items()},
        ending=ending | ENDING,
        with_constant=WITH_CONSTANT | METERED_AT,
        deciding={},
        behind_difference={},
    )


def _pyevm(entry: OpcodeAPI) -> Operation:
    """Return an opcode of py-evm, which does its own stack and dynamic gas."""
    if isinstance(entry, _FastOpcode):
        return _wrapped(entry.logic_fn)
    # A bound method instead of the callable object: calls of Python functions by Python
    # functions need no C stack, whatever the depth.
    return _wrapped(entry.__call__)


def _wrapped(call: Callable[..., Any]) -> Operation:
    def run(stack: list[int], frame: Frame) -> None:  # noqa: ARG001
        call(frame)

    return run


def _static_gas(opcodes: Mapping[int, OpcodeAPI]) -> dict[int, int]:
    return {
        opcode: entry.gas_cost
        for opcode, entry in opcodes.items()
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


def _leading_zeros(stack: list[int], frame: Frame) -> None:  # noqa: ARG001
    stack[-1] = 256 - stack[-1].bit_length()


_SWAPS = {n: swap(n) for n in range(1, 17)}
AFTER_SWAP = {operation: overwrite(n) for n, operation in _SWAPS.items()}
_WITHIN: dict[int, Operation] = (
    WORD_OPERATIONS
    | ENVIRONMENT
    | METERED
    | {op.DUP1 + n - 1: dup(n) for n in range(1, 17)}
    | {op.SWAP1 + n - 1: operation for n, operation in _SWAPS.items()}
)
OSAKA_OPCODES = {CLZ: Addition(5, 1, 1, _leading_zeros)}
"""What Osaka brought (EIP-7939)."""
