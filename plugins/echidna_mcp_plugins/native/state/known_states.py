"""The states that a machine knows (`evm.states`): a hash table of words."""

from __future__ import annotations

from echidna_mcp.evm.states import CLASS_BITS, MOST_STATES
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import Words, u64
from echidna_mcp.kernel.language.record import record
from echidna_mcp_plugins.native.state.index import scramble

STATE_TABLE = 4 * MOST_STATES
"""Entries, a power of two: it is never more than a quarter full."""
SLOT_BITS = 10
OWNERS = 64
"""Entries of `KnownStates.owners`, two words each."""


@record
class KnownStates:
    """States that are not news, open addressing with linear probing.

    Attributes:
        table: `STATE_TABLE` keys; 0 is a free entry.
        room: how many more states may become known; with 0 none is news.
        touched: 1 if the message may have changed one of the first words of an account.
        owners: of some storage numbers, each followed by the row of its account.
    """

    table: Words
    room: u64
    touched: u64
    owners: Words


@inline
def state_key(family: u64, slot: u64, kind: u64) -> u64:
    """Return the key of a state, never 0.

    Args:
        family: number of the code's name, from 1 (`machine.PROGRAM_FAMILY`).
        slot: number of the word.
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
    if states.table[at] == 0 and states.room != 0:
        states.table[at] = key
        states.room = states.room - 1
