"""The undo journal: every change of accounts and slots, newest last.

A mark is `Machine.journal_end`. Going back to it undoes all that came later, bit for
bit: rows that were added are gone, and their entries of the indexes.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    load64,
    peek256,
    poke256,
    store64,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.state.index import hash_word, remove_entry
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_ADDRESS,
    ACCOUNT_CREATED,
    ACCOUNT_ROW,
    ACCOUNT_WARM,
    CHANGED_WORDS,
    FAULT_CAPACITY,
    FULL_JOURNAL,
    JOURNAL_AT,
    JOURNAL_KIND,
    JOURNAL_OLD,
    JOURNAL_ROW,
    SLOT_KEY,
    SLOT_ROW,
    SLOT_STAMP,
    SLOT_STORAGE,
    SLOT_VALUE,
    UNDO_ACCOUNT_WIDE,
    UNDO_ACCOUNT_WORD,
    UNDO_NEW_ACCOUNT,
    UNDO_NEW_SLOT,
    UNDO_SLOT_WIDE,
    UNDO_SLOT_WORD,
    Machine,
)

STORAGE_STEP = 37
"""How many bits of `Machine.changed` the same slot of two accounts is apart: odd, and
more than structs have members."""
KIND_BITS = 8
KIND_MASK = (1 << KIND_BITS) - 1
"""The lowest bits of a row's kind are one of `UNDO_*`. Above them, of `UNDO_SLOT_WIDE`,
stands who has written the word (`evm.states.WRITTEN`), or 0."""

# ---------------------------------------------------------------------------- writing


@inline
def append_undo(m: Machine, kind: u64, at: u64, old: u256) -> u64:
    """Append a row and return 1, or 0 with FAULT_CAPACITY if there is no room.

    Args:
        kind: one of `UNDO_*`, and who has written the word.
        at: offset in the buffer that the kind names.
        old: what stands there.
    """
    row = m.journal_end
    if row + JOURNAL_ROW > m.journal_limit:
        m.fault = FAULT_CAPACITY
        m.full = FULL_JOURNAL
        return 0
    store64(m.journal, row + JOURNAL_KIND, kind)
    store64(m.journal, row + JOURNAL_AT, at)
    poke256(m.journal, row + JOURNAL_OLD, old)
    m.journal_end = row + JOURNAL_ROW
    return 1


@inline
def set_account_word(m: Machine, at: u64, value: u64) -> None:
    """Write the u64 at offset `at` of `accounts`."""
    old = load64(m.accounts, at)
    if old != value and append_undo(m, UNDO_ACCOUNT_WORD, at, wrap256(old)) != 0:
        store64(m.accounts, at, value)


@inline
def set_account_wide(m: Machine, at: u64, value: u256) -> None:
    """Write the u256 at offset `at` of `accounts`."""
    old = peek256(m.accounts, at)
    if old != value and append_undo(m, UNDO_ACCOUNT_WIDE, at, old) != 0:
        poke256(m.accounts, at, value)


@inline
def stamp_account(m: Machine) -> None:
    """Take note that an account has changed in more than warmth."""
    m.account_stamp = m.account_stamp + 1


@inline
def set_slot_word(m: Machine, at: u64, value: u64) -> None:
    """Write the u64 at offset `at` of `slots`."""
    old = load64(m.slots, at)
    if old != value and append_undo(m, UNDO_SLOT_WORD, at, wrap256(old)) != 0:
        store64(m.slots, at, value)


@inline
def set_slot_wide(m: Machine, at: u64, value: u256, writer: u64) -> None:
    """Write the u256 at offset `at` of `slots`.

    Args:
        m: the machine.
        at: the offset.
        value: the new one.
        writer: who has written the word, or 0 (`KIND_BITS`).
    """
    old = peek256(m.slots, at)
    if old != value:
        if append_undo(m, UNDO_SLOT_WIDE | writer << KIND_BITS, at, old) != 0:
            poke256(m.slots, at, value)


@inline
def bit_of(storage: u64, key: u64) -> u64:
    """Return the bit of a word in `Machine.changed`; some words share one.

    Args:
        storage: number of the account's storage.
        key: the lowest 64 bits of the slot.
    """
    return wrap64(key + storage * STORAGE_STEP) % (64 * CHANGED_WORDS)


@inline
def mark_changed(m: Machine, row: u64) -> None:
    """Take note in `Machine.changed` that the value of a slot is another one."""
    key = load64(m.slots, row + SLOT_KEY)
    bit = bit_of(load64(m.slots, row + SLOT_STORAGE), key)
    word = bit // 64
    m.changed[word] = m.changed[word] | (1 << bit % 64)


@inline
def stamp_slot(m: Machine, row: u64) -> None:
    """Take note that the value of a slot has changed."""
    m.stamp = m.stamp + 1
    store64(m.slots, row + SLOT_STAMP, m.stamp)


def created_account(m: Machine, row: u64) -> u64:
    """Return the account whose creation a row of the journal tells of, else 0."""
    at = load64(m.journal, row + JOURNAL_AT)
    if load64(m.journal, row + JOURNAL_KIND) != UNDO_ACCOUNT_WORD:
        return 0
    if at % ACCOUNT_ROW != ACCOUNT_CREATED:
        return 0
    return at - ACCOUNT_CREATED


# ------------------------------------------------------------------------- going back


def undo_to(m: Machine, mark: u64) -> None:
    """Undo everything that was journaled after `mark`."""
    if m.journal_end > mark:
        m.undone = 1
    while m.journal_end > mark:
        row = m.journal_end - JOURNAL_ROW
        m.journal_end = row
        kind = load64(m.journal, row + JOURNAL_KIND) & KIND_MASK
        at = load64(m.journal, row + JOURNAL_AT)
        old = peek256(m.journal, row + JOURNAL_OLD)
        if kind == UNDO_SLOT_WORD:
            store64(m.slots, at, wrap64(old))
        elif kind == UNDO_SLOT_WIDE:
            poke256(m.slots, at, old)
            if at % SLOT_ROW == SLOT_VALUE:
                stamp_slot(m, at - SLOT_VALUE)
                mark_changed(m, at - SLOT_VALUE)
        elif kind == UNDO_NEW_SLOT:
            remove_newest_slot(m)
        elif kind == UNDO_ACCOUNT_WORD:
            restore_account_word(m, at, wrap64(old))
        elif kind == UNDO_ACCOUNT_WIDE:
            poke256(m.accounts, at, old)
            stamp_account(m)
        elif kind == UNDO_NEW_ACCOUNT:
            remove_newest_account(m)


@inline
def restore_account_word(m: Machine, at: u64, old: u64) -> None:
    """Write the u64 at offset `at` of `accounts` that stood there before."""
    store64(m.accounts, at, old)
    if at % ACCOUNT_ROW != ACCOUNT_WARM:
        stamp_account(m)


def remove_newest_slot(m: Machine) -> None:
    """Remove the last row of `slots`."""
    row = m.slot_end - SLOT_ROW
    code = slot_hash(m, row)
    remove_entry(m.slot_index, m.slot_index_mask, code, row // SLOT_ROW)
    m.slot_end = row


@cold
def remove_newest_account(m: Machine) -> None:
    """Remove the last row of `accounts`."""
    row = m.account_end - ACCOUNT_ROW
    code = account_hash(m, row)
    remove_entry(m.account_index, m.account_index_mask, code, row // ACCOUNT_ROW)
    m.account_end = row


@inline
def slot_hash(m: Machine, row: u64) -> u64:
    """Return the hash under which a row of `slots` is found."""
    key = peek256(m.slots, row + SLOT_KEY)
    return hash_word(key, load64(m.slots, row + SLOT_STORAGE))


@inline
def account_hash(m: Machine, row: u64) -> u64:
    """Return the hash under which a row of `accounts` is found."""
    return hash_word(peek256(m.accounts, row + ACCOUNT_ADDRESS), 0)
