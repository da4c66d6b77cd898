"""What messages do with storage (`echidna_mcp.evm.backend`).

SLOAD and SSTORE report what they access, if that is wanted. Programs for messages whose
accesses are wanted are decoded with a table of their own, so that others do not pay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from eth.vm import opcode_values as op
from eth_hash.auto import keccak

from echidna_mcp.evm.backend import SlotValue
from echidna_mcp.evm.states import STATE_SLOTS

if TYPE_CHECKING:
    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.table import OpcodeTable
    from echidna_mcp_plugins.py_evm.words import Operation
    from echidna_mcp_plugins.py_evm.world import World


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


def changed_words(world: World, mark: int) -> Iterator[SlotValue]:
    """Yield the first words of accounts that the journal says have changed.

    Args:
        world: the world.
        mark: length of its journal before the message, which has not failed.
    """
    changes = [
        (mapping, key, before or 0)
        for mapping, key, before in world.undo[mark:]
        if isinstance(key, int) and key < STATE_SLOTS  # Others are addresses.
    ]
    if not changes:
        return
    # A storage that was dropped is nobody's.
    for address, slots in world.storages.items():
        if (code := world.codes.get(address)) is None:
            continue
        words = [(key, before) for mapping, key, before in changes if mapping is slots]
        for slot in dict.fromkeys(key for key, _ in words):
            value = slots.get(slot, 0)
            if any(key == slot and before != value for key, before in words):
                yield SlotValue(keccak(code), slot, value)
