"""Edges: from a block that ends in a jump to the one entered after it in the frame.

They are kept in a hash table, `Machine.edges`: open addressing with linear probing, and
two words an entry. The first holds the key (the numbers of both rows of `blocks`) and
`KNOWN_EDGE` if there is nothing to tell about it any more; the second the epoch of the
message that took it last. Pairs of blocks that no jump connects are entered as known,
so that one look tells both. The table grows in place, and is emptied with the programs
(`programs.forget_programs`), whose rows it names.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import load64, u64
from echidna_mcp_plugins.native.code.decode import JUMP, JUMPI
from echidna_mcp_plugins.native.state.index import (
    FIRST_INDEX_MASK,
    is_crowded,
    scramble,
)
from echidna_mcp_plugins.native.state.machine import (
    BLOCK_LAST,
    BLOCK_PROGRAM,
    BLOCK_ROW,
    COVER_EDGES,
    FAULT_CAPACITY,
    FULL_EDGES,
    PROGRAM_CODE,
    Machine,
)

EDGE_WORDS = 2
NUMBER_BITS = 31
NUMBER_MASK = (1 << NUMBER_BITS) - 1
KNOWN_EDGE = 1 << 63
EVERY_EDGE = 1 << 62
"""No entry has this bit."""
KEY_MASK = EVERY_EDGE - 1
MISSING = (1 << 64) - 1

# ----------------------------------------------------------------------------- running


def begin_edges(m: Machine) -> None:
    """Make the machine that of a message that has taken no edge."""
    m.followed = 0
    m.taken_count = 0
    m.trail_count = 0
    m.following = 0
    if m.coverage == COVER_EDGES:
        m.following = EVERY_EDGE
        if m.searching != 0:
            m.following = KNOWN_EDGE


@inline
def edge_key(before: u64, row: u64) -> u64:
    """Return the key of a pair of rows of `blocks`; `before` may have a depth added."""
    return before // BLOCK_ROW << NUMBER_BITS | row // BLOCK_ROW


@inline
def follow(m: Machine, row: u64) -> u64:
    """Take note of the way to a block that the running frame has entered.

    Returns:
        1; or 0 with FAULT_CAPACITY.
    """
    before = m.followed
    place = row + m.depth
    m.followed = place
    # The same depth is the same frame: after one has ended, its caller goes on first.
    if before == 0 or (before ^ place) % BLOCK_ROW != 0:
        return 1
    key = edge_key(before, row)
    if m.edges[EDGE_WORDS * (scramble(key) & m.edge_mask)] == key | m.following:
        return 1
    return take_edge(m, before - m.depth, key)


@cold
def take_edge(m: Machine, before: u64, key: u64) -> u64:
    """Take note of an edge that is perhaps to be told; see `follow`."""
    entry = find_edge(m, key)
    jumps = ends_in_jump(m, before)
    if entry == MISSING:
        entry = add_edge(m, key)
        if entry == MISSING:
            m.fault = FAULT_CAPACITY
            m.full = FULL_EDGES
            return 0
        if jumps == 0:
            m.edges[entry] = key | KNOWN_EDGE
    known = m.edges[entry] & KNOWN_EDGE
    if jumps == 0 or known & m.following != 0 or m.edges[entry + 1] == m.epoch:
        return 1
    m.edges[entry + 1] = m.epoch
    m.taken[m.taken_count] = key
    m.taken_count = m.taken_count + 1
    if known == 0:
        m.novel = 1
    return 1


def ends_in_jump(m: Machine, row: u64) -> u64:
    """Return 1 if the last instruction of a block is JUMP or JUMPI."""
    program = load64(m.blocks, row + BLOCK_PROGRAM)
    code = load64(m.programs, program + PROGRAM_CODE)
    last = m.code[code + load64(m.blocks, row + BLOCK_LAST)]
    if last == JUMP or last == JUMPI:
        return 1
    return 0


# --------------------------------------------------------------------------- the table


def find_edge(m: Machine, key: u64) -> u64:
    """Return the index of the first word of an edge's entry; MISSING if none."""
    at = scramble(key) & m.edge_mask
    while m.edges[EDGE_WORDS * at] != 0:
        if m.edges[EDGE_WORDS * at] & KEY_MASK == key:
            return EDGE_WORDS * at
        at = (at + 1) & m.edge_mask
    return MISSING


def add_edge(m: Machine, key: u64) -> u64:
    """Add an edge that is not there; return what `find_edge` would, MISSING if full."""
    if is_crowded(m.edge_mask, m.edge_count + 1) != 0:
        if grow_edges(m) == 0:
            return MISSING
    m.edge_count = m.edge_count + 1
    return insert_edge(m, key, 0)


def insert_edge(m: Machine, word: u64, epoch: u64) -> u64:
    """Write an entry to a free place; return where."""
    at = scramble(word & KEY_MASK) & m.edge_mask
    while m.edges[EDGE_WORDS * at] != 0:
        at = (at + 1) & m.edge_mask
    m.edges[EDGE_WORDS * at] = word
    m.edges[EDGE_WORDS * at + 1] = epoch
    return EDGE_WORDS * at


@cold
def grow_edges(m: Machine) -> u64:
    """Double the table; return 0 if there is no room for that."""
    old = EDGE_WORDS * (m.edge_mask + 1)
    aside = 2 * old
    if aside + old > m.edge_limit:
        return 0
    # The entries move behind the table that is to be, and from there into it.
    end = aside
    for i in range(m.edge_mask + 1):
        if m.edges[EDGE_WORDS * i] != 0:
            m.edges[end] = m.edges[EDGE_WORDS * i]
            m.edges[end + 1] = m.edges[EDGE_WORDS * i + 1]
            end = end + EDGE_WORDS
    for i in range(aside):
        m.edges[i] = 0
    m.edge_mask = 2 * m.edge_mask + 1
    for i in range((end - aside) // EDGE_WORDS):
        at = aside + EDGE_WORDS * i
        insert_edge(m, m.edges[at], m.edges[at + 1])
    return 1


def forget_edges(m: Machine) -> None:
    """Empty the table."""
    for i in range(EDGE_WORDS * (m.edge_mask + 1)):
        m.edges[i] = 0
    m.edge_mask = FIRST_INDEX_MASK
    m.edge_count = 0
    m.taken_count = 0
    m.followed = 0


def learn_edge(m: Machine, key: u64) -> None:
    """Make an edge known; if the table is full it goes on being new."""
    entry = find_edge(m, key)
    if entry == MISSING:
        entry = add_edge(m, key)
    if entry != MISSING:
        m.edges[entry] = key | KNOWN_EDGE
