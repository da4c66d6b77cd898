"""Opcodes that report what they compare (`echidna_mcp.evm.backend`).

Programs for messages whose comparisons are wanted are decoded with a table of their
own, so that others do not pay for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eth.vm import opcode_values as op

from echidna_mcp.evm.backend import Comparison, ComparisonKind
from echidna_mcp_plugins.py_evm.words import eq, gt, iszero, lt, sgt, slt, sub, xor

if TYPE_CHECKING:
    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.table import OpcodeTable
    from echidna_mcp_plugins.py_evm.words import Operation


def comparing(table: OpcodeTable) -> OpcodeTable:
    """Return the table of a fork with opcodes that report what they compare."""
    within = {
        op.LT: _reported(ComparisonKind.LESS, lt),
        op.GT: _reported(ComparisonKind.GREATER, gt),
        op.SLT: _reported(ComparisonKind.SIGNED_LESS, slt),
        op.SGT: _reported(ComparisonKind.SIGNED_GREATER, sgt),
        op.EQ: _reported(ComparisonKind.EQUAL, eq),
        op.ISZERO: _number_is_zero,
    }
    return replace(
        table,
        within={**table.within, **within},
        with_constant={
            opcode: fuse
            for opcode, fuse in table.with_constant.items()
            if opcode not in within
        },
        deciding={
            op.SUB: _reported(ComparisonKind.EQUAL, sub),
            op.XOR: _reported(ComparisonKind.EQUAL, xor),
        },
        behind_difference={op.ISZERO: iszero},
    )


def _reported(kind: ComparisonKind, operation: Operation) -> Operation:
    def compare(stack: list[int], frame: Frame) -> None:
        _report(frame, kind, stack[-1], stack[-2])
        operation(stack, frame)

    return compare


def _number_is_zero(stack: list[int], frame: Frame) -> None:
    if stack[-1] > 1:
        _report(frame, ComparisonKind.EQUAL, stack[-1], 0)
    iszero(stack, frame)


def _report(frame: Frame, kind: ComparisonKind, left: int, right: int) -> None:
    scope = frame.scope
    block = scope.last
    assert block is not None, "blocks are told where comparisons are"
    site = len(block.program.code) << 32 | block.pcs[0]
    scope.compared += 1
    scope.comparisons.append(Comparison(kind, left, right, site))


def decides_jump(code: bytes, at: int) -> bool:
    """Whether the result of the instruction at `at` decides a jump.

    Then ISZEROs, one PUSH and JUMPI follow.
    """
    at += 1
    while code[at : at + 1] == bytes([op.ISZERO]):
        at += 1
    if not op.PUSH0 <= next(iter(code[at : at + 1]), op.STOP) <= op.PUSH32:
        return False
    at += 1 + code[at] - op.PUSH0
    return code[at : at + 1] == bytes([op.JUMPI])
