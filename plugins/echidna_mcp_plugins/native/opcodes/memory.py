"""Opcodes that read and write memory (Yellow Paper, H.2: 20s, 30s, 50s)."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    clear,
    copy,
    load256,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp_plugins.native.opcodes.gas import (
    COPY_WORD_GAS,
    WORD,
    charge,
    memory_range,
    word_count,
)
from echidna_mcp_plugins.native.opcodes.opcode import opcode
from echidna_mcp_plugins.native.state.keccak import hash_memory
from echidna_mcp_plugins.native.state.machine import (
    ASK_HASHED,
    FAULT_HALT,
    FAULT_NONE,
    RECORDED,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork

KECCAK_WORD_GAS = 6
BYTE_MASK = 0xFF


@opcode(0x51, "MLOAD", gas=3, fallible=True)
@inline
def mload(m: Machine, offset: u256) -> u256:
    """Return the word at `offset` of the memory."""
    start = memory_range(m, offset, WORD)
    if m.fault != FAULT_NONE:
        return 0
    return word_at(m, start)


@opcode(0x52, "MSTORE", gas=3, fallible=True)
@inline
def mstore(m: Machine, offset: u256, value: u256) -> None:
    """Write a word to the memory."""
    start = memory_range(m, offset, WORD)
    if m.fault == FAULT_NONE:
        set_word_at(m, start, value)


@inline
def word_at(m: Machine, start: u64) -> u256:
    """Return a word of memory, whose place has been looked up."""
    return load256(m.memory, start)


@inline
def set_word_at(m: Machine, start: u64, value: u256) -> None:
    """Write a word of memory, whose place has been looked up."""
    store256(m.memory, start, value)


@opcode(0x53, "MSTORE8", gas=3, fallible=True)
@inline
def mstore8(m: Machine, offset: u256, value: u256) -> None:
    """Write the lowest byte of a word to the memory."""
    start = memory_range(m, offset, 1)
    if m.fault == FAULT_NONE:
        m.memory[start] = wrap64(value) & BYTE_MASK


@opcode(0x20, "KECCAK256", gas=30, fallible=True)
def keccak(m: Machine, offset: u256, size: u256) -> u256:
    """Return the keccak-256 hash of a range of the memory."""
    start = memory_range(m, offset, size)
    if m.fault != FAULT_NONE:
        return 0
    if charge(m, KECCAK_WORD_GAS * word_count(wrap64(size))) == 0:
        return 0
    result = hash_memory(m, start, wrap64(size))
    if m.watching != 0 and size == 2 * WORD:
        tell_hash(m, start, result)
    return result


@cold
def tell_hash(m: Machine, start: u64, result: u256) -> None:
    """Tell cheatcodes of a hash of two words, if they want to hear of it."""
    if m.watching & RECORDED != 0:
        m.asked_start = start
        m.told_value = result
        m.host(ASK_HASHED)


@opcode(0x5E, "MCOPY", gas=3, since=Fork.CANCUN, fallible=True)
def mcopy(m: Machine, target: u256, source: u256, size: u256) -> None:
    """Copy a range of the memory within it (EIP-5656)."""
    furthest = target
    if source > target:
        furthest = source
    paid_range(m, furthest, size)
    if m.fault == FAULT_NONE and size != 0:
        to = m.memory_base + wrap64(target)
        copy(m.memory, to, m.memory, m.memory_base + wrap64(source), wrap64(size))


@opcode(0x37, "CALLDATACOPY", gas=3, fallible=True)
def calldatacopy(m: Machine, target: u256, source: u256, size: u256) -> None:
    """Copy calldata, which zeros follow, to the memory."""
    start = paid_range(m, target, size)
    if m.fault == FAULT_NONE:
        length = wrap64(size)
        copy_padded(m, start, length, m.memory, m.input_start, m.input_size, source)


@opcode(0x39, "CODECOPY", gas=3, fallible=True)
def codecopy(m: Machine, target: u256, source: u256, size: u256) -> None:
    """Copy the code that runs, which zeros follow, to the memory."""
    start = paid_range(m, target, size)
    if m.fault == FAULT_NONE:
        length = wrap64(size)
        copy_padded(m, start, length, m.code, m.code_start, m.code_size, source)


@opcode(0x3E, "RETURNDATACOPY", gas=3, fallible=True)
def returndatacopy(m: Machine, target: u256, source: u256, size: u256) -> None:
    """Copy return data to the memory; fail if there is less (EIP-211)."""
    held = wrap256(m.returned_size)
    if source > held or size > held - source:
        m.fault = FAULT_HALT
        return
    start = paid_range(m, target, size)
    if m.fault == FAULT_NONE:
        copy(m.memory, start, m.returned, wrap64(source), wrap64(size))


def paid_range(m: Machine, offset: u256, size: u256) -> u64:
    """Return where a range of the memory begins; charges for copying to it as well."""
    start = memory_range(m, offset, size)
    if m.fault == FAULT_NONE:
        charge(m, COPY_WORD_GAS * word_count(wrap64(size)))
    return start


def copy_padded(
    m: Machine,
    start: u64,
    size: u64,
    source: Bytes,
    base: u64,
    held: u64,
    offset: u256,
) -> None:
    """Copy `size` bytes to `m.memory` from `offset` of `held` bytes, then zeros."""
    count = 0
    if offset < wrap256(held):
        first = wrap64(offset)
        count = size
        if held - first < size:
            count = held - first
        copy(m.memory, start, source, base + first, count)
    clear(m.memory, start + count, size - count)
