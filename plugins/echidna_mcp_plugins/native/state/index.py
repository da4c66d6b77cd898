"""Hash tables that find rows: open addressing with linear probing.

An entry is a u32, the number of a row (its offset divided by the size of a row); 0 is a
free entry. The tables grow in place. Rows leave in the reverse of the order in which
they came, so the entry of the newest row can simply be freed: nothing was ever probed
past it.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    clear,
    load32,
    store32,
    u64,
    u256,
    wrap64,
)

INDEX_ENTRY = 4
FIRST_INDEX_MASK = 1023
"""Entries, less 1, of an index that has not grown yet."""

# Odd numbers without a pattern: they only have to differ.
FACTOR0 = 0x9E3779B97F4A7C15
FACTOR1 = 0xC2B2AE3D27D4EB4F
FACTOR2 = 0x165667B19E3779F9
FACTOR3 = 0xD6E8FEB86659FD93
FACTOR4 = 0xA24BAED4963EE407
FACTOR5 = 0xBF58476D1CE4E5B9


@inline
def scramble(value: u64) -> u64:
    """Return a bijective scrambling: all bits of `value` count in the lowest ones."""
    mixed = wrap64((value ^ (value >> 32)) * FACTOR5)
    return mixed ^ (mixed >> 29)


@inline
def hash_word(value: u256, salt: u64) -> u64:
    """Return a hash of a word and a number."""
    return scramble(fold_word(value, salt))


@inline
def fold_word(value: u256, salt: u64) -> u64:
    """Return a number to which all bits of a word and a number count: a salt."""
    low = wrap64(wrap64(value) * FACTOR0 + wrap64(value >> 64) * FACTOR1)
    high = wrap64(wrap64(value >> 128) * FACTOR2 + wrap64(value >> 192) * FACTOR3)
    return wrap64(low + high + salt * FACTOR4)


@inline
def is_crowded(mask: u64, count: u64) -> u64:
    """Return 1 if an index of `mask` + 1 entries must grow to hold `count` rows."""
    if 4 * count > 3 * (mask + 1):
        return 1
    return 0


def clear_index(index: Bytes, mask: u64) -> None:
    """Free the first `mask` + 1 entries."""
    clear(index, 0, INDEX_ENTRY * (mask + 1))


def insert_entry(index: Bytes, mask: u64, code: u64, number: u64) -> None:
    """Add a row that is not there yet, by its hash and number."""
    at = code & mask
    while load32(index, INDEX_ENTRY * at) != 0:
        at = (at + 1) & mask
    store32(index, INDEX_ENTRY * at, number)


def remove_entry(index: Bytes, mask: u64, code: u64, number: u64) -> None:
    """Remove the newest row, by its hash and number."""
    at = code & mask
    while load32(index, INDEX_ENTRY * at) != number:
        at = (at + 1) & mask
    store32(index, INDEX_ENTRY * at, 0)
