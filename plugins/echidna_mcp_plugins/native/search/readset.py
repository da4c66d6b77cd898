"""Read sets: everything a property read when it was evaluated last.

A call by the same sender with the same calldata and gas does the same if all that it
reads is the same. That is storage words, the clock, and accounts: their balances,
nonces, code, and which storage they have. The first are remembered one by one: a row of
`slots` and its stamp, or key and storage of a word that had no row. Of accounts, only
that none has changed.

Most of the time what calls change is none of what a property reads. That shows at a
glance: each word has a bit, and bits of words that have changed since all properties
were looked at are collected (`Machine.changed`).

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
    wrap64,
)
from echidna_mcp.kernel.language.record import record
from echidna_mcp_plugins.native.state.journal import bit_of
from echidna_mcp_plugins.native.state.machine import (
    CHANGED_WORDS,
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

SET_WORDS = 0
"""The bits of all words in `Machine.changed`."""
SET_GLANCE = 32
"""1 if these bits are all that has to be looked at, with `is_calm`."""
SET_STEPS = 40
"""Steps of the evaluation."""
SET_KNOWN = 48
"""1 if there is something that is remembered."""
SET_COUNT = 56
"""Number of entries."""
SET_SUSPECT = 64
"""Number of the entry that was the last one found to have changed."""
SET_STAMP = 72
SET_ACCOUNT_STAMP = 80
SET_SLOTS_ADDED = 88
"""The fields of the machine of these names when all was as remembered."""
SET_CLOCK_READ = 96
SET_TIMESTAMP = 104
SET_BLOCK_NUMBER = 112
"""The same, of the evaluation."""
SET_ENV_STAMP = 120
"""`Machine.env_stamp` then."""
SET_BYTES = 128

ENTRY_ROW = 0
"""Row of `slots`; 0 for a word that had none, and so was zero."""
ENTRY_STAMP = 8
"""`SLOT_STAMP` of the row."""
ENTRY_STORAGE = 16
ENTRY_KEY = 32
"""u256. Storage and key are those of a word without row."""
ENTRY_BYTES = 64

MOST_ENTRIES = 254


@record
class ReadSets:
    """The read sets of all properties.

    Attributes:
        sets: `SET_BYTES` for each of them.
        entries: `MOST_ENTRIES` for each of them. They lie apart, so that what is looked
            at after every call lies close together.
        account_stamp, env_stamp: the fields of the machine of these names when
            `Machine.changed` was cleared.
        passed_steps: see `pass_over`.
    """

    sets: Bytes
    entries: Bytes
    account_stamp: u64
    env_stamp: u64
    passed_steps: u64


def make_read_sets(count: int) -> ReadSets:
    """Return the read sets of so many properties, of which nothing is known."""
    return ReadSets(
        sets=bytearray(count * SET_BYTES),
        entries=bytearray(count * MOST_ENTRIES * ENTRY_BYTES),
        account_stamp=0,
        env_stamp=0,
        passed_steps=0,
    )


# ------------------------------------------------------------------------- remembering


@inline
def begin_reading(m: Machine) -> None:
    """Begin a message whose reads are to be remembered."""
    m.clock_read = 0
    m.undone = 0


@inline
def forget_reads(r: ReadSets, index: u64) -> None:
    """Forget what a property read."""
    store64(r.sets, index * SET_BYTES + SET_KNOWN, 0)
    store64(r.sets, index * SET_BYTES + SET_GLANCE, 0)


@inline
def skipped_steps(r: ReadSets, index: u64) -> u64:
    """Return the steps of the evaluation that is remembered."""
    return load64(r.sets, index * SET_BYTES + SET_STEPS)


def remember_reads(
    m: Machine, r: ReadSets, index: u64, mark: u64, end: u64, steps: u64
) -> None:
    """Remember what a message read that has been undone, but for its journal.

    Args:
        m: the machine, as it was before the message.
        r: the read sets.
        index: number of the property.
        mark, end: what the message wrote in the journal.
        steps: those of the message.
    """
    sets = r.sets
    at = index * SET_BYTES
    for word in range(CHANGED_WORDS):
        store64(sets, at + SET_WORDS + 8 * word, 0)
    entry = first_entry(index)
    last = first_entry(index + 1)
    row = mark
    while row < end:
        place = load64(m.journal, row + JOURNAL_AT)
        if (
            load64(m.journal, row + JOURNAL_KIND) == UNDO_SLOT_WORD
            and place % SLOT_ROW == SLOT_WARM
        ):
            if entry == last:
                return
            remember_slot(m, r.entries, entry, place - SLOT_WARM)
            remember_bit(m, sets, at, place - SLOT_WARM)
            entry = entry + ENTRY_BYTES
        row = row + JOURNAL_ROW
    store64(sets, at + SET_KNOWN, 1)
    store64(sets, at + SET_GLANCE, m.clock_read ^ 1)
    store64(sets, at + SET_STEPS, steps)
    store64(sets, at + SET_COUNT, (entry - first_entry(index)) // ENTRY_BYTES)
    store64(sets, at + SET_ACCOUNT_STAMP, m.account_stamp)
    store64(sets, at + SET_CLOCK_READ, m.clock_read)
    store64(sets, at + SET_TIMESTAMP, m.timestamp)
    store64(sets, at + SET_BLOCK_NUMBER, m.block_number)
    store64(sets, at + SET_ENV_STAMP, m.env_stamp)
    agree(m, sets, at)


@inline
def first_entry(index: u64) -> u64:
    """Return where in `entries` those of a property begin."""
    return index * (MOST_ENTRIES * ENTRY_BYTES)


@inline
def remember_slot(m: Machine, entries: Bytes, entry: u64, row: u64) -> None:
    """Make an entry for a row of `slots`, which the message may have added."""
    if row < m.slot_end:
        store64(entries, entry + ENTRY_ROW, row)
        store64(entries, entry + ENTRY_STAMP, load64(m.slots, row + SLOT_STAMP))
    else:
        # What stands in a row that is gone stays until there is a new one.
        store64(entries, entry + ENTRY_ROW, 0)
        store64(entries, entry + ENTRY_STORAGE, load64(m.slots, row + SLOT_STORAGE))
        poke256(entries, entry + ENTRY_KEY, peek256(m.slots, row + SLOT_KEY))


@inline
def remember_bit(m: Machine, sets: Bytes, at: u64, row: u64) -> None:
    """Enter the bit of a word, whose row may be gone by now."""
    key = load64(m.slots, row + SLOT_KEY)
    bit = bit_of(load64(m.slots, row + SLOT_STORAGE), key)
    place = at + SET_WORDS + bit // 64 * 8
    store64(sets, place, load64(sets, place) | (1 << bit % 64))


@inline
def agree(m: Machine, sets: Bytes, at: u64) -> None:
    """Take note that now all storage words are as remembered."""
    store64(sets, at + SET_STAMP, m.stamp)
    store64(sets, at + SET_SLOTS_ADDED, m.slots_added)


# --------------------------------------------------------------------------- comparing


@inline
def is_calm(m: Machine, r: ReadSets) -> u64:
    """Return 1 if only storage and clock may be otherwise than at `clear_changes`."""
    # What expects, mocks or pranks changes what a property does.
    if m.hooks != 0 or m.env_stamp != r.env_stamp:
        return 0
    if m.account_stamp != r.account_stamp:
        return 0
    return 1


@inline
def clear_changes(m: Machine, r: ReadSets) -> None:
    """Clear `Machine.changed`: now all is as the read sets remember it.

    To be called when each of them has been looked at, one after the other.
    """
    for word in range(CHANGED_WORDS):
        m.changed[word] = 0
    r.account_stamp = m.account_stamp
    r.env_stamp = m.env_stamp


def pass_over(m: Machine, r: ReadSets, index: u64, end: u64) -> u64:
    """Pass over properties whose reads are as they were, as a glance shows.

    Only if `is_calm`, and if they were looked at before `clear_changes`.

    Returns:
        The first one, from `index` on, of which it does not show that; `end` if there
        is none before. `passed_steps` are the steps of those before it.
    """
    # In variables, because a loop that stores something loads them again each time.
    sets = r.sets
    changed0 = m.changed[0]
    changed1 = m.changed[1]
    changed2 = m.changed[2]
    changed3 = m.changed[3]
    steps = wrap64(0)
    at = index * SET_BYTES
    stop = end * SET_BYTES
    while at < stop:
        common = load64(sets, at + SET_WORDS) & changed0
        common = common | (load64(sets, at + SET_WORDS + 8) & changed1)
        common = common | (load64(sets, at + SET_WORDS + 16) & changed2)
        common = common | (load64(sets, at + SET_WORDS + 24) & changed3)
        if common | (load64(sets, at + SET_GLANCE) ^ 1) != 0:
            break
        steps = steps + load64(sets, at + SET_STEPS)
        at = at + SET_BYTES
    r.passed_steps = steps
    return at // SET_BYTES


def reads_the_same(m: Machine, r: ReadSets, index: u64) -> u64:
    """Return 1 if all that a property read is as it was."""
    sets = r.sets
    at = index * SET_BYTES
    if load64(sets, at + SET_KNOWN) == 0:
        return 0
    if load64(sets, at + SET_ACCOUNT_STAMP) != m.account_stamp:
        return 0
    if m.hooks != 0 or load64(sets, at + SET_ENV_STAMP) != m.env_stamp:
        return 0
    if load64(sets, at + SET_CLOCK_READ) != 0 and is_same_clock(m, sets, at) == 0:
        return 0
    if load64(sets, at + SET_STAMP) == m.stamp:
        return 1
    return are_same_slots(m, r, index)


@inline
def is_same_clock(m: Machine, sets: Bytes, at: u64) -> u64:
    """Return 1 if time and block are as they were."""
    if load64(sets, at + SET_TIMESTAMP) != m.timestamp:
        return 0
    if load64(sets, at + SET_BLOCK_NUMBER) != m.block_number:
        return 0
    return 1


def are_same_slots(m: Machine, r: ReadSets, index: u64) -> u64:
    """Return 1 if all words of storage are as they were."""
    sets = r.sets
    at = index * SET_BYTES
    first = first_entry(index)
    count = load64(sets, at + SET_COUNT)
    added = m.slots_added - load64(sets, at + SET_SLOTS_ADDED)
    # What has changed before will most likely change again.
    suspect = load64(sets, at + SET_SUSPECT)
    if suspect < count:
        if is_same_slot(m, r.entries, first + suspect * ENTRY_BYTES, added) == 0:
            return 0
    for number in range(count):
        if is_same_slot(m, r.entries, first + number * ENTRY_BYTES, added) == 0:
            store64(sets, at + SET_SUSPECT, number)
            return 0
    agree(m, sets, at)
    return 1


@inline
def is_same_slot(m: Machine, entries: Bytes, entry: u64, added: u64) -> u64:
    """Return 1 if a word of storage is as it was; `added` is 0 if no row was added."""
    row = load64(entries, entry + ENTRY_ROW)
    if row != 0:
        if row >= m.slot_end:
            return 0
        if load64(m.slots, row + SLOT_STAMP) != load64(entries, entry + ENTRY_STAMP):
            return 0
        return 1
    if added == 0:
        return 1
    return is_still_zero(m, entries, entry)


def is_still_zero(m: Machine, entries: Bytes, entry: u64) -> u64:
    """Return 1 if a word that had no row is zero."""
    storage = load64(entries, entry + ENTRY_STORAGE)
    row = peek_slot(m, storage, peek256(entries, entry + ENTRY_KEY))
    if row == 0:
        return 1
    if slot_value(m, row) != 0:
        return 0
    # From now on it can change without a row being added.
    store64(entries, entry + ENTRY_ROW, row)
    store64(entries, entry + ENTRY_STAMP, load64(m.slots, row + SLOT_STAMP))
    return 1
