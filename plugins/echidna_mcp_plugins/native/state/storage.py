"""Storage words: rows by storage number and key, and what touching them costs.

All changes of values are journaled. Row 0 is no slot: it is what `find_slot` returns
when there is no room left (FAULT_CAPACITY).
"""

from __future__ import annotations

from echidna_mcp.evm.states import GREATEST, STATE_SLOTS
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    clear,
    load32,
    load64,
    peek256,
    poke256,
    store64,
    u64,
    u256,
)
from echidna_mcp_plugins.native.state.index import (
    INDEX_ENTRY,
    clear_index,
    hash_word,
    insert_entry,
    is_crowded,
)
from echidna_mcp_plugins.native.state.journal import (
    append_undo,
    mark_changed,
    set_slot_wide,
    set_slot_word,
    slot_hash,
    stamp_slot,
)
from echidna_mcp_plugins.native.state.machine import (
    FAULT_CAPACITY,
    FULL_SLOTS,
    SLOT_KEY,
    SLOT_ORIGINAL,
    SLOT_ROW,
    SLOT_SAVED,
    SLOT_STORAGE,
    SLOT_VALUE,
    SLOT_WARM,
    TRANSIENT,
    UNDO_NEW_SLOT,
    Machine,
)

COLD_SLOT_GAS = 2100
"""Gas for a slot that the message has not accessed before (EIP-2929)."""

# ------------------------------------------------------------------------------- rows


@inline
def peek_slot(m: Machine, storage: u64, key: u256) -> u64:
    """Return the row of a slot; 0 if there is none, which means that it is zero."""
    at = hash_word(key, storage) & m.slot_index_mask
    row = load32(m.slot_index, INDEX_ENTRY * at) * SLOT_ROW
    while row != 0:
        if (
            load64(m.slots, row + SLOT_STORAGE) == storage
            and peek256(m.slots, row + SLOT_KEY) == key
        ):
            return row
        at = (at + 1) & m.slot_index_mask
        row = load32(m.slot_index, INDEX_ENTRY * at) * SLOT_ROW
    return 0


@inline
def find_slot(m: Machine, storage: u64, key: u256) -> u64:
    """Return the row of a slot, a new one of value zero if need be.

    Args:
        storage: number of the account's storage.
        key: the slot.
    """
    row = peek_slot(m, storage, key)
    if row != 0:
        return row
    return add_slot(m, storage, key)


def add_slot(m: Machine, storage: u64, key: u256) -> u64:
    """Add a slot; return its row, or 0 with FAULT_CAPACITY."""
    row = m.slot_end
    if row + SLOT_ROW > m.slot_limit:
        m.fault = FAULT_CAPACITY
        m.full = FULL_SLOTS
        return 0
    if append_undo(m, UNDO_NEW_SLOT, row, 0) == 0:
        return 0
    number = row // SLOT_ROW
    if is_crowded(m.slot_index_mask, number) != 0:
        grow_slot_index(m)
    m.slot_end = row + SLOT_ROW
    clear(m.slots, row, SLOT_ROW)
    poke256(m.slots, row + SLOT_KEY, key)
    store64(m.slots, row + SLOT_STORAGE, storage)
    # Another slot may have had this row: who remembers the row must look again.
    stamp_slot(m, row)
    m.slots_added = m.slots_added + 1
    insert_entry(m.slot_index, m.slot_index_mask, hash_word(key, storage), number)
    return row


@cold
def grow_slot_index(m: Machine) -> None:
    """Double the index and enter all slots anew, oldest first."""
    mask = 2 * m.slot_index_mask + 1
    m.slot_index_mask = mask
    clear_index(m.slot_index, mask)
    for number in range(1, m.slot_end // SLOT_ROW):
        insert_entry(m.slot_index, mask, slot_hash(m, number * SLOT_ROW), number)


# ------------------------------------------------------------------- permanent storage


@inline
def access_slot(m: Machine, row: u64) -> u64:
    """Return the gas that a cold slot costs on top, 0 if warm, and make it warm."""
    if load64(m.slots, row + SLOT_WARM) == m.number:
        return 0
    set_slot_word(m, row + SLOT_WARM, m.number)
    return COLD_SLOT_GAS


@inline
def slot_value(m: Machine, row: u64) -> u256:
    """Return the present value of a slot."""
    return peek256(m.slots, row + SLOT_VALUE)


@inline
def original_value(m: Machine, row: u64) -> u256:
    """Return the value that a slot had when the message began (EIP-2200).

    To be asked before the message writes the slot for the first time.
    """
    if load64(m.slots, row + SLOT_SAVED) != m.number:
        # Not journaled: whatever is undone, it stays the value before the message.
        store64(m.slots, row + SLOT_SAVED, m.number)
        poke256(m.slots, row + SLOT_ORIGINAL, peek256(m.slots, row + SLOT_VALUE))
    return peek256(m.slots, row + SLOT_ORIGINAL)


@inline
def write_slot(m: Machine, row: u64, value: u256) -> None:
    """Change the value of a slot; no code of a contract does."""
    write_slot_by(m, row, value, 0)


@inline
def write_slot_by(m: Machine, row: u64, value: u256, writer: u64) -> None:
    """Change the value of a slot.

    Args:
        m: the machine.
        row: of the slot.
        value: the new one.
        writer: who does (`journal.KIND_BITS`).
    """
    if peek256(m.slots, row + SLOT_VALUE) != value:
        set_slot_wide(m, row + SLOT_VALUE, value, writer)
        stamp_slot(m, row)
        mark_changed(m, row)
        touch_state(m, row, value)


@inline
def touch_state(m: Machine, row: u64, value: u256) -> None:
    """Take note if a slot that has been written may tell of a state."""
    # Keys of mappings are hashes: they are hardly ever so small. And most amounts are
    # greater.
    if load64(m.slots, row + SLOT_KEY) < STATE_SLOTS or value <= GREATEST:
        end = m.journal_end
        if m.states.touched == 0 or end < m.states.touched:
            m.states.touched = end


# ------------------------------------------------------------------- transient storage


def transient_value(m: Machine, storage: u64, key: u256) -> u256:
    """Return a word of transient storage (EIP-1153), which every message begins anew.

    Args:
        storage: number of the account's storage.
        key: the slot.
    """
    row = peek_slot(m, storage | TRANSIENT, key)
    if row == 0 or load64(m.slots, row + SLOT_SAVED) != m.number:
        return 0
    return peek256(m.slots, row + SLOT_VALUE)


def set_transient(m: Machine, storage: u64, key: u256, value: u256) -> None:
    """Write a word of transient storage (EIP-1153)."""
    row = find_slot(m, storage | TRANSIENT, key)
    set_slot_wide(m, row + SLOT_VALUE, value, 0)
    set_slot_word(m, row + SLOT_SAVED, m.number)
