"""States: whether a message has left a value in storage that is news.

What a state is, `evm.states` says. Writing a word only takes note that it is one of
the first of its account (`journal.mark_changed`). At the end of the call its rows of
the journal tell which words have changed in frames that were kept: what was reverted is
not there any more.
"""

from __future__ import annotations

from echidna_mcp.evm.states import NO_STATE, STATE_SLOTS, state_class
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import load64, peek256, u64, wrap64
from echidna_mcp_plugins.native.state.known_states import (
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


@inline
def look_for_states(m: Machine, mark: u64) -> None:
    """Set `novel` if the message that has ended has left a state that is news.

    Args:
        m: the machine.
        mark: where the journal ended before the message.
    """
    if m.states.touched != 0 and m.states.room != 0:
        compare_states(m, mark)


def compare_states(m: Machine, mark: u64) -> None:
    """Compare what the message has left with what is known."""
    if next_change(m, mark, 1) < m.journal_end:
        m.novel = 1


def next_change(m: Machine, start: u64, only_new: u64) -> u64:
    """Return the first row of the journal that tells of a state.

    Args:
        m: the machine.
        start: the row to begin with.
        only_new: 1 if that is to be news.

    Returns:
        The row; the end of the journal if there is none.
    """
    row = start
    while row < m.journal_end:
        slot = changed_slot(m, row)
        if slot != 0:
            if only_new == 0 or is_new_state(m, slot) != 0:
                return row
        row = row + JOURNAL_ROW
    return row


@inline
def changed_slot(m: Machine, row: u64) -> u64:
    """Return the row of the storage word whose change is journaled at `row`; else 0.

    Only of the first words of an account, and not of transient storage.
    """
    if load64(m.journal, row + JOURNAL_KIND) != UNDO_SLOT_WIDE:
        return 0
    at = load64(m.journal, row + JOURNAL_AT)
    slot = at - SLOT_VALUE
    if at % SLOT_ROW != SLOT_VALUE or peek256(m.slots, slot + SLOT_KEY) >= STATE_SLOTS:
        return 0
    if load64(m.slots, slot + SLOT_STORAGE) & TRANSIENT != 0:
        return 0
    return slot


def is_new_state(m: Machine, slot: u64) -> u64:
    """Return 1 if the value of a row of `slots` is news, else 0.

    Also if the code of its account has no name here yet: who executes the message again
    gives it one.
    """
    kind = state_class(peek256(m.slots, slot + SLOT_VALUE))
    if kind == NO_STATE:
        return 0
    account = owner_of(m, load64(m.slots, slot + SLOT_STORAGE))
    program = load64(m.accounts, account + ACCOUNT_PROGRAM)
    if account == 0 or program == 0:
        return 0
    family = load64(m.programs, program + PROGRAM_FAMILY)
    if family == 0:
        return 1
    key = state_key(family, wrap64(peek256(m.slots, slot + SLOT_KEY)), kind)
    if m.states.table[find_state(m.states, key)] == 0:
        return 1
    return 0


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
