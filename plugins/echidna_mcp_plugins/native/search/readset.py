"""Read sets: everything a property read when it was evaluated last.

A call by the same sender with the same calldata and gas does the same if all that it
reads is the same. That is storage words, the clock, and accounts: their balances,
nonces, code, and which storage they have. The first are remembered one by one: a row of
`slots` and its stamp, or key and storage of a word that had no row. Of accounts, only
that none has changed.

A message makes each slot warm that it reads or writes, which the journal tells, unless
a frame was undone: then nothing is remembered.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    load64,
    peek256,
    poke256,
    store64,
    u64,
)
from echidna_mcp_plugins.native.state.machine import (
    JOURNAL_AT,
    JOURNAL_KIND,
    JOURNAL_ROW,
    SLOT_KEY,
    SLOT_ROW,
    SLOT_STAMP,
    SLOT_STORAGE,
    SLOT_WARM,
    UNDO_SLOT_WORD,
    Machine,
)
from echidna_mcp_plugins.native.state.storage import peek_slot, slot_value

SET_KNOWN = 0
"""1 if there is something that is remembered."""
SET_STEPS = 8
"""Steps of the evaluation."""
SET_COUNT = 16
"""Number of entries."""
SET_SUSPECT = 24
"""Number of the entry that was the last one found to have changed."""
SET_STAMP = 32
SET_ACCOUNT_STAMP = 40
SET_SLOTS_ADDED = 48
"""The fields of the machine of these names when all was as remembered."""
SET_CLOCK_READ = 56
SET_TIMESTAMP = 64
SET_BLOCK_NUMBER = 72
"""The same, of the evaluation."""
SET_ENV_STAMP = 80
"""`Machine.env_stamp` then."""
SET_ENTRIES = 128

ENTRY_ROW = 0
"""Row of `slots`; 0 for a word that had none, and so was zero."""
ENTRY_STAMP = 8
"""`SLOT_STAMP` of the row."""
ENTRY_STORAGE = 16
ENTRY_KEY = 32
"""u256. Storage and key are those of a word without row."""
ENTRY_BYTES = 64

MOST_ENTRIES = 254
SET_BYTES = SET_ENTRIES + MOST_ENTRIES * ENTRY_BYTES


# ------------------------------------------------------------------------- remembering


@inline
def begin_reading(m: Machine) -> None:
    """Begin a message whose reads are to be remembered."""
    m.clock_read = 0
    m.undone = 0


@inline
def forget_reads(sets: Bytes, at: u64) -> None:
    """Forget what the property read whose read set is at `at`."""
    store64(sets, at + SET_KNOWN, 0)


@inline
def skipped_steps(sets: Bytes, at: u64) -> u64:
    """Return the steps of the evaluation that is remembered."""
    return load64(sets, at + SET_STEPS)


def remember_reads(
    m: Machine, sets: Bytes, at: u64, mark: u64, end: u64, steps: u64
) -> None:
    """Remember what a message read that has been undone, but for its journal.

    Args:
        m: the machine, as it was before the message.
        sets: the read sets.
        at: where in `sets` this one begins.
        mark, end: what the message wrote in the journal.
        steps: those of the message.
    """
    entry = at + SET_ENTRIES
    last = at + SET_BYTES
    row = mark
    while row < end:
        place = load64(m.journal, row + JOURNAL_AT)
        if (
            load64(m.journal, row + JOURNAL_KIND) == UNDO_SLOT_WORD
            and place % SLOT_ROW == SLOT_WARM
        ):
            if entry == last:
                return
            remember_slot(m, sets, entry, place - SLOT_WARM)
            entry = entry + ENTRY_BYTES
        row = row + JOURNAL_ROW
    store64(sets, at + SET_KNOWN, 1)
    store64(sets, at + SET_STEPS, steps)
    store64(sets, at + SET_COUNT, (entry - at - SET_ENTRIES) // ENTRY_BYTES)
    store64(sets, at + SET_ACCOUNT_STAMP, m.account_stamp)
    store64(sets, at + SET_CLOCK_READ, m.clock_read)
    store64(sets, at + SET_TIMESTAMP, m.timestamp)
    store64(sets, at + SET_BLOCK_NUMBER, m.block_number)
    store64(sets, at + SET_ENV_STAMP, m.env_stamp)
    agree(m, sets, at)


@inline
def remember_slot(m: Machine, sets: Bytes, entry: u64, row: u64) -> None:
    """Make an entry for a row of `slots`, which the message may have added."""
    if row < m.slot_end:
        store64(sets, entry + ENTRY_ROW, row)
        store64(sets, entry + ENTRY_STAMP, load64(m.slots, row + SLOT_STAMP))
    else:
        # What stands in a row that is gone stays until there is a new one.
        store64(sets, entry + ENTRY_ROW, 0)
        store64(sets, entry + ENTRY_STORAGE, load64(m.slots, row + SLOT_STORAGE))
        poke256(sets, entry + ENTRY_KEY, peek256(m.slots, row + SLOT_KEY))


@inline
def agree(m: Machine, sets: Bytes, at: u64) -> None:
    """Take note that now all storage words are as remembered."""
    store64(sets, at + SET_STAMP, m.stamp)
    store64(sets, at + SET_SLOTS_ADDED, m.slots_added)


# --------------------------------------------------------------------------- comparing


def reads_the_same(m: Machine, sets: Bytes, at: u64) -> u64:
    """Return 1 if all that is in the read set at `at` is as it was."""
    if load64(sets, at + SET_KNOWN) == 0:
        return 0
    if load64(sets, at + SET_ACCOUNT_STAMP) != m.account_stamp:
        return 0
    # What expects, mocks or pranks changes what a property does.
    if m.hooks != 0 or load64(sets, at + SET_ENV_STAMP) != m.env_stamp:
        return 0
    if load64(sets, at + SET_CLOCK_READ) != 0 and is_same_clock(m, sets, at) == 0:
        return 0
    if load64(sets, at + SET_STAMP) == m.stamp:
        return 1
    return are_same_slots(m, sets, at)


@inline
def is_same_clock(m: Machine, sets: Bytes, at: u64) -> u64:
    """Return 1 if time and block are as they were."""
    if load64(sets, at + SET_TIMESTAMP) != m.timestamp:
        return 0
    if load64(sets, at + SET_BLOCK_NUMBER) != m.block_number:
        return 0
    return 1


def are_same_slots(m: Machine, sets: Bytes, at: u64) -> u64:
    """Return 1 if all words of storage are as they were."""
    count = load64(sets, at + SET_COUNT)
    added = m.slots_added - load64(sets, at + SET_SLOTS_ADDED)
    # What has changed before will most likely change again.
    suspect = load64(sets, at + SET_SUSPECT)
    if suspect < count:
        entry = at + SET_ENTRIES + suspect * ENTRY_BYTES
        if is_same_slot(m, sets, entry, added) == 0:
            return 0
    for number in range(count):
        entry = at + SET_ENTRIES + number * ENTRY_BYTES
        if is_same_slot(m, sets, entry, added) == 0:
            store64(sets, at + SET_SUSPECT, number)
            return 0
    agree(m, sets, at)
    return 1


@inline
def is_same_slot(m: Machine, sets: Bytes, entry: u64, added: u64) -> u64:
    """Return 1 if a word of storage is as it was; `added` is 0 if no row was added."""
    row = load64(sets, entry + ENTRY_ROW)
    if row != 0:
        if row >= m.slot_end:
            return 0
        if load64(m.slots, row + SLOT_STAMP) != load64(sets, entry + ENTRY_STAMP):
            return 0
        return 1
    if added == 0:
        return 1
    return is_still_zero(m, sets, entry)


def is_still_zero(m: Machine, sets: Bytes, entry: u64) -> u64:
    """Return 1 if a word that had no row is zero."""
    storage = load64(sets, entry + ENTRY_STORAGE)
    row = peek_slot(m, storage, peek256(sets, entry + ENTRY_KEY))
    if row == 0:
        return 1
    if slot_value(m, row) != 0:
        return 0
    # From now on it can change without a row being added.
    store64(sets, entry + ENTRY_ROW, row)
    store64(sets, entry + ENTRY_STAMP, load64(m.slots, row + SLOT_STAMP))
    return 1
