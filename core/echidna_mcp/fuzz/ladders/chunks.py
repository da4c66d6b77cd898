"""Numbered ways to make things smaller: chunks of a run, steps of a number.

Shrinking tries candidates by number ("slots"), so that it needs no memory between two
attempts. The numbers of slots depend on what is shrunk alone.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import leading_zeros256, u64, u256, wrap256

SIZE_BITS = 32
"""A chunk is packed into one number: its start above, its size in the low bits."""
SIZE_MASK = 0xFFFFFFFF


@inline
def bit_length(value: u256) -> u64:
    """Return the number of bits up to the highest one that is set."""
    return 256 - leading_zeros256(value)


def largest_chunk(count: u64) -> u64:
    """Return the largest power of two below `count`, which must be at least 2."""
    size = 1
    while size * 2 < count:
        size = size * 2
    return size


def chunk_slots(count: u64) -> u64:
    """Return how many proper chunks `chunk_at` knows in a run of `count` things."""
    slots = 0
    size = 1
    while size < count:
        slots = slots + (count + size - 1) // size
        size = size * 2
    return slots


def chunk_at(count: u64, slot: u64) -> u64:
    """Return chunk number `slot` of a run, packed; large chunks come first.

    Sizes are the powers of two below `count`, down to single things; chunks of one size
    cover the run side by side.
    """
    size = largest_chunk(count)
    rest = slot
    chunks = (count + size - 1) // size
    while rest >= chunks:
        rest = rest - chunks
        size = size // 2
        chunks = (count + size - 1) // size
    start = rest * size
    if start + size > count:
        size = count - start
    return (start << SIZE_BITS) | size


def step_slots(value: u256) -> u64:
    """Return how many smaller numbers `step_at` knows."""
    bits = bit_length(value)
    if bits == 0:
        return 0
    return bits + bit_length(wrap256(bits)) - 1


def step_at(value: u256, slot: u64) -> u256:
    """Return smaller number `slot` of `value`.

    First 0, then ever smaller right shifts down to value // 2, then value less a half,
    a quarter, ... and less 1. Going on with the same slot after a success finds the
    smallest number that a monotonic condition allows in about as many attempts as the
    number has bits.
    """
    if slot == 0:
        return wrap256(0)
    bits = bit_length(value)
    shifts = bit_length(wrap256(bits)) - 1
    if slot <= shifts:
        return value >> (bits >> slot)
    return value - (value >> (slot - shifts))
