"""What messages do with storage (`echidna_mcp.evm.backend`).

SLOAD and SSTORE report what they access, if that is wanted. Programs for messages whose
accesses are wanted are decoded with a table of their own, so that others do not pay.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from eth.vm import opcode_values as op
from eth_hash.auto import keccak

from echidna_mcp.evm.backend import SlotValue
from echidna_mcp.evm.states import (
    GREATEST,
    PAIR_WORDS,
    STATE_SLOTS,
    is_paired,
    pair_number,
)

if TYPE_CHECKING:
    from echidna_mcp_plugins.py_evm.frame import Frame
    from echidna_mcp_plugins.py_evm.table import OpcodeTable
    from echidna_mcp_plugins.py_evm.words import Operation
    from echidna_mcp_plugins.py_evm.world import UndoEntry, World, Writing


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


def left_words(
    world: World,
    mark: int,
    writings: Iterable[Writing],
    *,
    pairs: bool,
) -> Iterator[SlotValue]:
    """Yield what a message has left in storage.

    Args:
        world: the world.
        mark: length of its journal before the message, which has not failed.
        writings: as `Scope.writings` has them.
        pairs: whether two words are states, too.
    """
    yield from _first_words(world, mark, pairs=pairs)
    yield from _written_words(world, mark, writings)


def _first_words(world: World, mark: int, *, pairs: bool) -> Iterator[SlotValue]:
    """Yield the first words of accounts that the journal says have changed."""
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
        named = keccak(code)
        words = [(key, before) for mapping, key, before in changes if mapping is slots]
        for slot in dict.fromkeys(key for key, _ in words):
            value = slots.get(slot, 0)
            if any(key == slot and before != value for key, before in words):
                yield SlotValue(named, slot, value)
                for number, first in _pairs(slots, slot) if pairs else ():
                    yield SlotValue(named, number, first)


def _pairs(slots: dict[int, int], slot: int) -> Iterator[tuple[int, int]]:
    """Yield number and first value of all pairs of words that a word is one of."""
    if not is_paired(slot, slots.get(slot, 0)):
        return
    for other in range(PAIR_WORDS):
        if other != slot and is_paired(other, slots.get(other, 0)):
            first, second = sorted((slot, other))
            yield pair_number(first, second, slots[second]), slots[first]


def _written_words(
    world: World, mark: int, writings: Iterable[Writing]
) -> Iterator[SlotValue]:
    """Yield the small numbers that functions have left in words behind those."""
    undo = world.undo
    # What was rolled back is not in the journal; another entry may have come there.
    writers = {
        each.at: each.writer
        for each in writings
        if each.at < len(undo) and undo[each.at] is each.entry
    }
    if not writers:
        return
    entries = [
        (at, entry)
        for at, entry in enumerate(undo[mark:], mark)
        if isinstance(entry[1], int)
    ]
    for address, slots in world.storages.items():
        if (code := world.codes.get(address)) is None:
            continue
        left = dict.fromkeys(
            (writers[at], value)
            for key, (at, value) in _last_changes(entries, slots).items()
            # Cheatcodes write as well.
            if key >= STATE_SLOTS and value <= GREATEST and at in writers
        )
        for writer, value in left:
            yield SlotValue(keccak(code), writer, value)


def _last_changes(
    entries: Sequence[tuple[int, UndoEntry]], slots: dict[int, int]
) -> dict[int, tuple[int, int]]:
    """Return by slot where its last change is in the journal, and its value."""
    found: dict[int, tuple[int, int]] = {}
    after: dict[int, int] = {}
    for at, (words, key, before) in reversed(entries):
        if words is slots:
            if key not in found and (before or 0) != after.get(key, slots.get(key, 0)):
                found[key] = at, slots.get(key, 0)
            after[key] = before or 0
    return found
