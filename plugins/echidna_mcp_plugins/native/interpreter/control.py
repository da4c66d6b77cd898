"""Between instructions: the head of a block, and jumps that look up."""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_TRAIL
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    Words,
    load32,
    load64,
    store64,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.code.edges import KNOWN_EDGE, follow
from echidna_mcp_plugins.native.state.machine import (
    BLOCK_DEPTHS,
    BLOCK_ENTERED,
    BLOCK_EPOCH,
    BLOCK_KNOWN,
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FULL_TOUCHED,
    Machine,
)

BOUND_MASK = 0xFFFF
ENTERED_WORDS = 4


@inline
def enter_block(m: Machine, height: u64, bounds: u64, gas: u64, row: u64) -> u64:
    """Check and charge a block, and count it.

    Args:
        m: the machine.
        height: bytes of stack of the frame.
        bounds: see `decode.finish_block`.
        gas: static gas of the block.
        row: its row in `blocks`.

    Returns:
        1; or 0 with a fault if it can't be entered.
    """
    if wrap64(height - (bounds & BOUND_MASK)) > bounds >> 16 & BOUND_MASK:
        m.fault = FAULT_HALT
        return 0
    if m.gas < gas:
        m.fault = FAULT_GAS
        return 0
    m.gas = m.gas - gas
    m.steps = m.steps + (bounds >> 32)
    store64(m.blocks, row + BLOCK_ENTERED, load64(m.blocks, row + BLOCK_ENTERED) + 1)
    if known_depths(m, row) & m.quiet_bit == m.depth_bit:
        m.last_block = row
        return 1
    return cover_block(m, row)


@inline
def pass_blocks(
    m: Machine, above: u64, room: u64, gas: u64, count: u64, known: u64, row: u64
) -> u64:
    """Enter blocks, one after the other, if they need only be charged and counted.

    Args:
        m: the machine.
        above: bytes of stack above the least height that is in bounds for all of them.
        room: how many there may be.
        gas: static gas of all.
        count: their instructions.
        known: depths at which all are known, see `BLOCK_KNOWN`.
        row: of the last one.

    Returns:
        1; or 0 if nothing was done.
    """
    if above > room or m.gas < gas or known & m.quiet_bit != m.depth_bit:
        return 0
    m.gas = m.gas - gas
    m.steps = m.steps + count
    m.last_block = row
    return 1


@cold
def enter_blocks(m: Machine, height: u64, row: u64, blocks: Words, count: u64) -> u64:
    """Enter blocks one after the other.

    Args:
        m: the machine.
        height, row: what all of them are counted from.
        blocks: `ENTERED_WORDS` for each block: what `enter_block` takes, with distances
            from `height` and `row`.
        count: how many there are.

    Returns:
        1; or 0 with a fault at the first that can't be entered.
    """
    for i in range(count):
        at = ENTERED_WORDS * i
        here = wrap64(height + blocks[at])
        place = wrap64(row + blocks[at + 3])
        if enter_block(m, here, blocks[at + 1], blocks[at + 2], place) == 0:
            return 0
    return 1


@inline
def known_depths(m: Machine, row: u64) -> u64:
    """Return the depths at which the campaign knows a block."""
    return load64(m.blocks, row + BLOCK_KNOWN)


def cover_block(m: Machine, row: u64) -> u64:
    """Take note that the running frame has entered a block; see `enter_block`."""
    m.last_block = row
    if m.trailing != 0:
        m.trail[m.trail_count % MOST_TRAIL] = row + m.depth
        m.trail_count = m.trail_count + 1
        if m.searching != 0 and m.following == 0:
            if load64(m.blocks, row + BLOCK_KNOWN) & m.depth_bit != 0:
                return 1
    if m.following != 0:
        if follow(m, row) == 0:
            return 0
        if m.following == KNOWN_EDGE:
            if load64(m.blocks, row + BLOCK_KNOWN) & m.depth_bit != 0:
                return 1
    if load64(m.blocks, row + BLOCK_EPOCH) == m.epoch:
        if load64(m.blocks, row + BLOCK_DEPTHS) & m.depth_bit != 0:
            return 1
    return touch_block(m, row)


@cold
def touch_block(m: Machine, row: u64) -> u64:
    """Add a block to those that the message has entered at the depth of its frame."""
    count = m.touched_count
    if count == m.touched_limit:
        m.fault = FAULT_CAPACITY
        m.full = FULL_TOUCHED
        return 0
    depths = m.depth_bit
    if load64(m.blocks, row + BLOCK_EPOCH) == m.epoch:
        depths = depths | load64(m.blocks, row + BLOCK_DEPTHS)
    if load64(m.blocks, row + BLOCK_KNOWN) & m.depth_bit == 0:
        m.novel = 1
    store64(m.blocks, row + BLOCK_EPOCH, m.epoch)
    store64(m.blocks, row + BLOCK_DEPTHS, depths)
    m.touched[count] = row + m.depth
    m.touched_count = count + 1
    return 1


@inline
def jump_target(m: Machine, position: u256) -> u64:
    """Return where the block of a JUMPDEST is in `stream`; 0 and a fault if none."""
    if position < wrap256(m.code_size):
        found = load32(m.jumps, 4 * (m.code_start + wrap64(position)))
        if found != 0:
            return found
    m.fault = FAULT_HALT
    return 0
