"""Links that the decoder follows: jumps to their blocks, tokens through the trie."""

from __future__ import annotations

from echidna_mcp.kernel.language.memory import Words, load32, store32, u64, wrap64
from echidna_mcp_plugins.native.state.machine import Machine

PENDING = 1 << 31
"""Marks an entry of `jumps` whose block has no place yet. The other bits are the index
of the immediate of the last jump to it, which holds the entry before."""


def child(trie: Words, node: u64, token: u64) -> u64:
    """Return the node to which `token` leads from a node of the trie; 0 if none."""
    first = node + 2
    for at in range(trie[node + 1]):
        if trie[first + 2 * at] == token:
            return trie[first + 2 * at + 1]
    return 0


def link(m: Machine, immediate: u64) -> None:
    """Put the distance to its target in place of the target of a jump."""
    target = m.stream[immediate]
    entry = load32(m.jumps, 4 * target)
    if entry & PENDING == 0:
        m.stream[immediate] = wrap64(entry - immediate)
    else:
        m.stream[immediate] = entry
        store32(m.jumps, 4 * target, PENDING | immediate)


def place(m: Machine, target: u64, index: u64) -> None:
    """Tell all jumps to a JUMPDEST, earlier and later ones, where its block begins."""
    entry = load32(m.jumps, 4 * target)
    while entry != PENDING:
        immediate = entry ^ PENDING
        entry = m.stream[immediate]
        m.stream[immediate] = wrap64(index - immediate)
    store32(m.jumps, 4 * target, index)
