"""The states that a machine knows (`evm.states`): a hash table of words."""

from __future__ import annotations

from echidna_mcp.evm.states import CLASS_BITS, MOST_STATES, word_sort
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import Words, u64
from echidna_mcp.kernel.language.record import record
from echidna_mcp_plugins.native.state.index import scramble

STATE_TABLE = 4 * MOST_STATES
"""Entries, a power of two: it is never more than half full."""
SLOT_BITS = 34
IN_FIRST = 1
IN_MAPPINGS = 2
IN_PAIRS = 4
ONLY_NEW = 8
"""Which states are looked for: of the first words of accounts, of others, of two of the
first, and whether only those that are news."""
OWNERS = 64
"""Entries of `KnownStates.owners`, two words each."""


@record
class KnownStates:
    """States that are not news, open addressing with linear probing.

    Attributes:
        table: `STATE_TABLE` keys; 0 is a free entry.
        room: how many more states of the first words of accounts may become known; with
            0 none is news.
        written_room: how many more of other words may.
        paired_room: how many more of two words may.
        touched: where the journal ended when the message had written one of the first
            words of an account, or a small number, for the first time, as far as it was
            not undone; 0 if it has not.
        owners: of some storage numbers, each followed by the row of its account.
    """

    table: Words
    room: u64
    written_room: u64
    paired_room: u64
    touched: u64
    owners: Words


@inline
def state_key(family: u64, slot: u64, kind: u64) -> u64:
    """Return the key of a state, never 0.

    Args:
        family: number of the code's name, from 1 (`machine.PROGRAM_FAMILY`).
        slot: number of the word, or what stands for it, or for two, in `evm.states`.
        kind: class of its value.
    """
    return ((family << SLOT_BITS) | slot) << CLASS_BITS | kind


def find_state(states: KnownStates, key: u64) -> u64:
    """Return the entry of a key, or the free one where it would stand."""
    at = scramble(key) & (STATE_TABLE - 1)
    while states.table[at] != key and states.table[at] != 0:
        at = (at + 1) & (STATE_TABLE - 1)
    return at


def learn_state(states: KnownStates, key: u64) -> None:
    """Make a state known, if there is room."""
    at = find_state(states, key)
    if states.table[at] != 0:
        return
    sort = word_sort((key >> CLASS_BITS) & ((1 << SLOT_BITS) - 1))
    if sort == 0 and states.room != 0:
        states.table[at] = key
        states.room = states.room - 1
    elif sort == 1 and states.written_room != 0:
        states.table[at] = key
        states.written_room = states.written_room - 1
    elif sort == 2 and states.paired_room != 0:
        states.table[at] = key
        states.paired_room = states.paired_room - 1
