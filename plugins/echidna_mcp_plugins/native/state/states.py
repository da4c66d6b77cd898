"""States: whether a message has left a value in storage that is news.

What a state is, `evm.states` says. Writing a word only takes note that it is one of
the first of its account, or small now (`storage.touch_state`), and by which function.
At the end of the call its rows of the journal tell which words have changed in frames
that were kept: what was reverted is not there any more. What a changed word is together
with another one is looked up then.
"""

from __future__ import annotations

from echidna_mcp.evm.states import (
    GREATEST,
    NO_STATE,
    PAIR_WORDS,
    STATE_SLOTS,
    class_in,
    is_paired,
    pair_number,
)
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    load64,
    peek256,
    u64,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.state.journal import KIND_BITS, KIND_MASK
from echidna_mcp_plugins.native.state.known_states import (
    IN_FIRST,
    IN_MAPPINGS,
    IN_PAIRS,
    ONLY_NEW,
    OWNERS,
    find_state,
    state_key,
)
from echidna_mcp_plugins.native.state.machine import (
    ACCOUNT_PROGRAM,
    ACCOUNT_ROW,
    ACCOUNT_STORAGE,
    JOURNAL_AT,
    JOURNAL_KIND,
    JOURNAL_ROW,
    PROGRAM_FAMILY,
    SLOT_KEY,
    SLOT_ROW,
    SLOT_STORAGE,
    SLOT_VALUE,
    TRANSIENT,
    UNDO_SLOT_WIDE,
    Machine,
)
from echidna_mcp_plugins.native.state.storage import peek_slot


@inline
def look_for_states(m: Machine) -> None:
    """Set `novel` if the message that has ended has left a state that is news."""
    if m.states.touched != 0:
        compare_states(m)


def compare_states(m: Machine) -> None:
    """Compare what the message has left with what is known."""
    wanted = wrap64(0)
    if m.states.room != 0:
        wanted = IN_FIRST
    if m.states.written_room != 0:
        wanted = wanted | IN_MAPPINGS
    if m.states.paired_room != 0:
        wanted = wanted | IN_PAIRS
    if wanted != 0:
        if next_change(m, first_change(m), wanted | ONLY_NEW) < m.journal_end:
            m.novel = 1


@inline
def first_change(m: Machine) -> u64:
    """Return the first row of the journal that may tell of a state of the message.

    What is small in the end was small when it was written last.
    """
    touched = m.states.touched
    if touched == 0 or touched > m.journal_end:
        return m.journal_end
    return touched - JOURNAL_ROW


def next_change(m: Machine, start: u64, wanted: u64) -> u64:
    """Return the first row of the journal that tells of a state.

    Args:
        m: the machine.
        start: the row to begin with.
        wanted: of which words, and whether it is to be news (`known_states.IN_FIRST`).

    Returns:
        The row; the end of the journal if there is none.
    """
    row = start
    while row < m.journal_end:
        slot = changed_slot(m, row, wanted)
        if slot != 0:
            if wanted & ONLY_NEW == 0 or is_new(m, row, slot, wanted) != 0:
                if is_last_change(m, row, slot) != 0:
                    return row
        row = row + JOURNAL_ROW
    return row


@inline
def changed_slot(m: Machine, row: u64, wanted: u64) -> u64:
    """Return the row of the storage word whose change is journaled at `row`; else 0.

    Only of the first words of an account, or of others that have small numbers now and
    that code of a contract has written, if they are wanted; not of transient storage.
    """
    kind = load64(m.journal, row + JOURNAL_KIND)
    if kind & KIND_MASK != UNDO_SLOT_WIDE:
        return 0
    at = load64(m.journal, row + JOURNAL_AT)
    slot = at - SLOT_VALUE
    if at % SLOT_ROW != SLOT_VALUE:
        return 0
    if peek256(m.slots, slot + SLOT_KEY) < STATE_SLOTS:
        if wanted & (IN_FIRST | IN_PAIRS) == 0:
            return 0
    else:
        if wanted & IN_MAPPINGS == 0 or kind >> KIND_BITS == 0:
            return 0
        if peek256(m.slots, slot + SLOT_VALUE) > GREATEST:
            return 0
    if load64(m.slots, slot + SLOT_STORAGE) & TRANSIENT != 0:
        return 0
    return slot


def is_last_change(m: Machine, row: u64, slot: u64) -> u64:
    """Return 1 if who has written a word at `row` of the journal has left its value.

    Of the first words of accounts nobody asks who has.
    """
    if peek256(m.slots, slot + SLOT_KEY) < STATE_SLOTS:
        return 1
    at = slot + SLOT_VALUE
    later = row + JOURNAL_ROW
    while later < m.journal_end:
        if (
            load64(m.journal, later + JOURNAL_AT) == at
            and load64(m.journal, later + JOURNAL_KIND) & KIND_MASK == UNDO_SLOT_WIDE
        ):
            return 0
        later = later + JOURNAL_ROW
    return 1


@inline
def word_number(m: Machine, row: u64, slot: u64) -> u64:
    """Return what stands for a word in its states.

    Args:
        m: the machine.
        row: of the journal, where its change is.
        slot: its row.

    Returns:
        The number of one of the first words; of others who has written it
        (`evm.states.WRITTEN`).
    """
    key = peek256(m.slots, slot + SLOT_KEY)
    if key < STATE_SLOTS:
        return wrap64(key)
    return load64(m.journal, row + JOURNAL_KIND) >> KIND_BITS


def is_new(m: Machine, row: u64, slot: u64, wanted: u64) -> u64:
    """Return 1 if the value of a changed word is news, alone or with another, else 0.

    Also if the code of its account has no name here yet: who executes the message again
    gives it one.

    Args:
        m: the machine.
        row: of the journal, where its change is.
        slot: its row.
        wanted: as for `next_change`.
    """
    word = word_number(m, row, slot)
    kind = class_in(word, peek256(m.slots, slot + SLOT_VALUE))
    if kind == NO_STATE:
        return 0
    account = owner_of(m, load64(m.slots, slot + SLOT_STORAGE))
    program = load64(m.accounts, account + ACCOUNT_PROGRAM)
    if account == 0 or program == 0:
        return 0
    family = load64(m.programs, program + PROGRAM_FAMILY)
    if family == 0:
        return 1
    if word >= STATE_SLOTS or wanted & IN_FIRST != 0:
        if is_new_state(m, state_key(family, word, kind)) != 0:
            return 1
    if wanted & IN_PAIRS != 0 and word < PAIR_WORDS:
        return has_new_pair(m, family, slot, word)
    return 0


def has_new_pair(m: Machine, family: u64, slot: u64, word: u64) -> u64:
    """Return 1 if one of the first words is news together with another one, else 0."""
    for other in range(PAIR_WORDS):
        beside = paired_with(m, slot, other)
        if beside != 0:
            first = slot
            second = beside
            if other < word:
                first = beside
                second = slot
            kind = class_in(0, peek256(m.slots, first + SLOT_VALUE))
            key = state_key(family, number_of_two(m, first, second), kind)
            if is_new_state(m, key) != 0:
                return 1
    return 0


@inline
def is_new_state(m: Machine, key: u64) -> u64:
    """Return 1 if a state is news, by its key, else 0."""
    if m.states.table[find_state(m.states, key)] == 0:
        return 1
    return 0


def paired_with(m: Machine, slot: u64, other: u64) -> u64:
    """Return the row of a word that is a state together with another one.

    Args:
        m: the machine.
        slot: row of that one.
        other: number of the word, of the same account.

    Returns:
        Its row; 0 if they are none.
    """
    if peek256(m.slots, slot + SLOT_KEY) >= PAIR_WORDS:
        return 0
    word = wrap64(peek256(m.slots, slot + SLOT_KEY))
    if word == other:
        return 0
    if is_paired(word, peek256(m.slots, slot + SLOT_VALUE)) == 0:
        return 0
    beside = peek_slot(m, load64(m.slots, slot + SLOT_STORAGE), wrap256(other))
    if beside == 0 or is_paired(other, peek256(m.slots, beside + SLOT_VALUE)) == 0:
        return 0
    return beside


def number_of_two(m: Machine, first: u64, second: u64) -> u64:
    """Return what stands for two words in their states, by their rows, in order."""
    one = wrap64(peek256(m.slots, first + SLOT_KEY))
    other = wrap64(peek256(m.slots, second + SLOT_KEY))
    return pair_number(one, other, wrap64(peek256(m.slots, second + SLOT_VALUE)))


def owner_of(m: Machine, storage: u64) -> u64:
    """Return the row of the account that has a storage; 0 if it was destroyed."""
    entry = 2 * (storage % OWNERS)
    row = m.states.owners[entry + 1]
    if (
        m.states.owners[entry] == storage
        and row < m.account_end
        and load64(m.accounts, row + ACCOUNT_STORAGE) == storage
    ):
        return row
    row = m.account_end - ACCOUNT_ROW
    while row != 0 and load64(m.accounts, row + ACCOUNT_STORAGE) != storage:
        row = row - ACCOUNT_ROW
    m.states.owners[entry] = storage
    m.states.owners[entry + 1] = row
    return row
