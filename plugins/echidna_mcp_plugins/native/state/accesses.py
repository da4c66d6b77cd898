"""The storage words that a message has read and written, for those who ask.

What counts the seam says (`echidna_mcp.evm.backend`). `Machine.accesses` has a head, a
row for each slot in the order of their first access, and a hash table of u32 that finds
the rows (`index`). A row tells when its slot was first read and first written, by one
clock. The rows of `slots` would not do: they go when a frame is undone.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_SLOTS
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    clear,
    load32,
    load64,
    peek256,
    poke256,
    store32,
    store64,
    u64,
    u256,
    wrap64,
)
from echidna_mcp_plugins.native.state.index import INDEX_ENTRY, hash_word
from echidna_mcp_plugins.native.state.machine import (
    ASK_READ,
    ASK_WRITTEN,
    RECORDED,
    WATCHED,
    Machine,
)

ACCESS_COUNT = 0
"""First reads and first writes so far."""
ACCESS_END = 8
"""End of the rows."""

ACCESS_ADDRESS = 0
"""u256."""
ACCESS_KEY = 32
"""u256."""
ACCESS_READ = 64
ACCESS_WRITTEN = 72
"""`ACCESS_COUNT` after its first read, and after its first write; 0 for none."""
ACCESS_ROW = 96
"""Size of a row, and of the head."""

ACCESS_INDEX = (MOST_SLOTS + 1) * ACCESS_ROW
ACCESS_INDEX_MASK = 4 * MOST_SLOTS - 1
ACCESS_INDEX_BYTES = (ACCESS_INDEX_MASK + 1) * INDEX_ENTRY
ACCESS_BYTES = ACCESS_INDEX + ACCESS_INDEX_BYTES


@inline
def begin_accesses(m: Machine) -> None:
    """Forget the accesses of the message before, if those of this one are wanted."""
    if m.watching & WATCHED != 0:
        forget_accesses(m)


@cold
def forget_accesses(m: Machine) -> None:
    """Empty the table."""
    store64(m.accesses, ACCESS_COUNT, 0)
    store64(m.accesses, ACCESS_END, ACCESS_ROW)
    clear(m.accesses, ACCESS_INDEX, ACCESS_INDEX_BYTES)


@inline
def note_access(m: Machine, key: u256, column: u64) -> None:
    """Take note, if that is wanted, that the running frame has accessed a slot."""
    if m.watching != 0:
        log_access(m, key, column)


@cold
def log_access(m: Machine, key: u256, column: u64) -> None:
    """Write the time of an access to `column`, if it is the first one."""
    if m.watching & RECORDED != 0:
        tell_access(m, key, column)
    if m.watching & WATCHED == 0:
        return
    row = find_access(m, key)
    if row != 0 and load64(m.accesses, row + column) == 0:
        count = load64(m.accesses, ACCESS_COUNT) + 1
        store64(m.accesses, ACCESS_COUNT, count)
        store64(m.accesses, row + column, count)


@cold
def tell_access(m: Machine, key: u256, column: u64) -> None:
    """Tell cheatcodes of an access."""
    m.told_address = m.address
    m.told_value = key
    if column == ACCESS_READ:
        m.host(ASK_READ)
    else:
        m.host(ASK_WRITTEN)


def find_access(m: Machine, key: u256) -> u64:
    """Return the row of a slot, a new one if need be; 0 if there is no room for it."""
    at = hash_word(key, wrap64(m.address)) & ACCESS_INDEX_MASK
    entry = ACCESS_INDEX + INDEX_ENTRY * at
    row = load32(m.accesses, entry) * ACCESS_ROW
    while row != 0:
        if (
            peek256(m.accesses, row + ACCESS_KEY) == key
            and peek256(m.accesses, row + ACCESS_ADDRESS) == m.address
        ):
            return row
        at = (at + 1) & ACCESS_INDEX_MASK
        entry = ACCESS_INDEX + INDEX_ENTRY * at
        row = load32(m.accesses, entry) * ACCESS_ROW
    row = load64(m.accesses, ACCESS_END)
    if row == ACCESS_INDEX:
        return 0
    store64(m.accesses, ACCESS_END, row + ACCESS_ROW)
    store32(m.accesses, entry, row // ACCESS_ROW)
    poke256(m.accesses, row + ACCESS_ADDRESS, m.address)
    poke256(m.accesses, row + ACCESS_KEY, key)
    store64(m.accesses, row + ACCESS_READ, 0)
    store64(m.accesses, row + ACCESS_WRITTEN, 0)
    return row
