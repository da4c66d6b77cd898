"""SLOAD and SSTORE that report what they access (`echidna_mcp.evm.backend`).

Programs for messages whose accesses are wanted are decoded with a table of their own,
so that others do not pay for it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from eth.vm import opcode_values as op

if TYPE_CHECKING:
    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.table import OpcodeTable
    from echidna_mcp_plugins.py_evm.words import Operation


def watching(table: OpcodeTable) -> OpcodeTable:
    """Return the table of a fork with opcodes that report which slots they access."""
    load, store = table.within[op.SLOAD], table.ending[op.SSTORE]
    return replace(
        table,
        within={**table.within, op.SLOAD: _reading(load)},
        ending={**table.ending, op.SSTORE: _writing(store)},
    )


def _reading(operation: Operation) -> Operation:
    def read(stack: list[int], frame: Frame) -> None:
        slot = stack[-1]
        operation(stack, frame)
        scope = frame.scope
        scope.access(scope.reads, frame.address, slot)

    return read


def _writing(operation: Operation) -> Operation:
    def write(stack: list[int], frame: Frame) -> None:
        slot = stack[-1]
        operation(stack, frame)
        scope = frame.scope
        scope.access(scope.writes, frame.address, slot)

    return write
