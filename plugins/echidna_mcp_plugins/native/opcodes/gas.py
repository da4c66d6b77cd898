"""Gas that depends on operands, and memory, which grows as it is paid for."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    clear,
    poke256,
    u64,
    u256,
    wrap64,
)
from echidna_mcp_plugins.native.state.machine import (
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_NONE,
    FULL_MEMORY,
    Machine,
)

WORD = 32
MEMORY_LIMIT = 1 << 32
"""Memory from here on costs more than any gas limit: 2^45."""
MEMORY_WORD_GAS = 3
COPY_WORD_GAS = 3


@inline
def charge(m: Machine, amount: u64) -> u64:
    """Pay `amount` and return 1; or, if less is left, fail and return 0."""
    if m.gas < amount:
        out_of_gas(m)
        return 0
    m.gas = m.gas - amount
    return 1


@cold
def out_of_gas(m: Machine) -> None:
    """Set `FAULT_GAS`, unless something else has failed before."""
    if m.fault == FAULT_NONE:
        m.fault = FAULT_GAS


@inline
def word_count(size: u64) -> u64:
    """Return how many words hold `size` bytes."""
    return (size + WORD - 1) >> 5


@inline
def memory_gas(words: u64) -> u64:
    """Return what a memory of so many words costs (Yellow Paper, C_mem)."""
    return MEMORY_WORD_GAS * words + ((words * words) >> 9)


@inline
def memory_range(m: Machine, offset: u256, size: u256) -> u64:
    """Return where a range of the frame's memory begins in `m.memory`, paid and grown.

    An empty range begins at 0, wherever it is, and costs nothing. Without a fault
    `size` is below 2^32.
    """
    if size == 0:
        return 0
    if is_in_use(m, offset, size) != 0:
        return used_place(m, offset)
    return memory_beyond(m, offset, size)


@inline
def is_in_use(m: Machine, offset: u256, size: u256) -> u64:
    """Return 1 if a range lies in the part of the frame's memory that is in use."""
    if offset >> 64 == 0 and size >> 64 == 0:
        start = wrap64(offset)
        if start <= m.memory_size and wrap64(size) <= m.memory_size - start:
            return 1
    return 0


@inline
def used_place(m: Machine, offset: u256) -> u64:
    """Return where a range begins in `m.memory` that is in use."""
    return m.memory_base + wrap64(offset)


@inline
def memory_beyond(m: Machine, offset: u256, size: u256) -> u64:
    """Return what `memory_range` does, for a range that is not in use yet."""
    if offset >> 64 != 0 or size >> 64 != 0:
        out_of_gas(m)
        return 0
    return grow_memory(m, wrap64(offset), wrap64(size))


@cold
def grow_memory(m: Machine, start: u64, size: u64) -> u64:
    """Return where a range that ends beyond the memory in use begins, once paid."""
    if (start | size) >= MEMORY_LIMIT:
        out_of_gas(m)
        return 0
    before = m.memory_size
    words = word_count(start + size)
    if charge(m, memory_gas(words) - memory_gas(word_count(before))) == 0:
        return 0
    after = words * WORD
    if m.memory_base + after > m.memory_limit:
        m.fault = FAULT_CAPACITY
        m.full = FULL_MEMORY
        return 0
    # Frames that have ended leave their bytes behind. Most often a word is added.
    if after - before == WORD:
        poke256(m.memory, m.memory_base + before, 0)
    else:
        clear(m.memory, m.memory_base + before, after - before)
    m.memory_size = after
    return m.memory_base + start
