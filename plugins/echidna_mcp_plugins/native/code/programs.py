"""Code: each distinct one is kept once, as a row of `programs`.

Programs are a cache, not a part of the world: they aren't journaled, and nothing but
accounts and frames names them. Where every run makes contracts of its own, the host
marks what is to stay (`keep_programs`) and drops the rest in between
(`forget_programs`).
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    clear,
    copy,
    load32,
    load64,
    peek256,
    poke256,
    rotate_left64,
    store64,
    u64,
    u256,
    wrap64,
)
from echidna_mcp_plugins.native.code.edges import forget_edges
from echidna_mcp_plugins.native.state.index import (
    FACTOR0,
    FACTOR1,
    INDEX_ENTRY,
    clear_index,
    insert_entry,
    is_crowded,
    scramble,
)
from echidna_mcp_plugins.native.state.keccak import keccak256
from echidna_mcp_plugins.native.state.machine import (
    FAULT_CAPACITY,
    FULL_PROGRAMS,
    PROGRAM_BLOCK_COUNT,
    PROGRAM_BLOCKS,
    PROGRAM_CODE,
    PROGRAM_FINGERPRINT,
    PROGRAM_HASH,
    PROGRAM_HASHED,
    PROGRAM_ROW,
    PROGRAM_SIZE,
    PROGRAM_STREAM,
    Machine,
)

EMPTY_HASH = 0xC5D2460186F7233C927E7DB2DCC703C0E500B653CA82273B7BFAD8045D85A470
"""Keccak-256 of nothing."""
CODE_PADDING = 32
"""Zero bytes after each code, so that the data of a PUSH can be read past its end."""
MANY_PROGRAMS = 16_384
MANY_CODE = 16 << 20
MANY_STREAM = 4 << 20
MANY_BLOCKS = 16 << 20
"""What a cache of programs may grow to beside those that stay, some 150 MB altogether:
rows, bytes of code, words of streams, bytes of blocks. One sequence may use more."""

# ----------------------------------------------------------------------------- finding


def intern_code(m: Machine, source: Bytes, start: u64, size: u64) -> u64:
    """Return the row of the program whose code are `size` bytes at `start` of `source`.

    Equal codes have the same row; no code has row 0. Also 0, with FAULT_CAPACITY, if
    there is no room left.
    """
    if size == 0:
        return 0
    tag = fingerprint(source, start, size)
    at = tag & m.program_index_mask
    row = load32(m.program_index, INDEX_ENTRY * at) * PROGRAM_ROW
    while row != 0:
        code = load64(m.programs, row + PROGRAM_CODE)
        if (
            load64(m.programs, row + PROGRAM_FINGERPRINT) == tag
            and load64(m.programs, row + PROGRAM_SIZE) == size
            and is_same(m.code, code, source, start, size) != 0
        ):
            return row
        at = (at + 1) & m.program_index_mask
        row = load32(m.program_index, INDEX_ENTRY * at) * PROGRAM_ROW
    return add_program(m, source, start, size, tag)


def fingerprint(source: Bytes, start: u64, size: u64) -> u64:
    """Return a hash of some bytes."""
    mixed = wrap64(size * FACTOR0)
    words = size >> 3
    for i in range(words):
        word = load64(source, start + 8 * i)
        mixed = rotate_left64(wrap64((mixed ^ word) * FACTOR1), 29)
    for at in range(start + 8 * words, start + size):
        mixed = wrap64((mixed ^ source[at]) * FACTOR1)
    return scramble(mixed)


def is_same(left: Bytes, first: u64, right: Bytes, second: u64, size: u64) -> u64:
    """Return 1 if `size` bytes of two buffers are the same."""
    words = size >> 3
    for i in range(words):
        if load64(left, first + 8 * i) != load64(right, second + 8 * i):
            return 0
    for i in range(8 * words, size):
        if left[first + i] != right[second + i]:
            return 0
    return 1


@cold
def add_program(m: Machine, source: Bytes, start: u64, size: u64, tag: u64) -> u64:
    """Add a program that is not there yet; return its row, or 0 with FAULT_CAPACITY."""
    row = m.program_end
    code = m.code_end
    if row + PROGRAM_ROW > m.program_limit or code + size + CODE_PADDING > m.code_limit:
        m.fault = FAULT_CAPACITY
        m.full = FULL_PROGRAMS
        return 0
    number = row // PROGRAM_ROW
    if is_crowded(m.program_index_mask, number) != 0:
        m.program_index_mask = 2 * m.program_index_mask + 1
        enter_programs(m)
    m.program_end = row + PROGRAM_ROW
    m.code_end = code + size + CODE_PADDING
    copy(m.code, code, source, start, size)
    clear(m.code, code + size, CODE_PADDING)
    clear(m.programs, row, PROGRAM_ROW)
    store64(m.programs, row + PROGRAM_FINGERPRINT, tag)
    store64(m.programs, row + PROGRAM_CODE, code)
    store64(m.programs, row + PROGRAM_SIZE, size)
    insert_entry(m.program_index, m.program_index_mask, tag, number)
    return row


@cold
def enter_programs(m: Machine) -> None:
    """Fill the index anew, oldest program first."""
    clear_index(m.program_index, m.program_index_mask)
    for number in range(1, m.program_end // PROGRAM_ROW):
        tag = load64(m.programs, number * PROGRAM_ROW + PROGRAM_FINGERPRINT)
        insert_entry(m.program_index, m.program_index_mask, tag, number)


# -------------------------------------------------------------------------------- hash


@inline
def code_hash(m: Machine, program: u64) -> u256:
    """Return keccak-256 of a program's code; `EMPTY_HASH` for row 0."""
    if program == 0:
        return EMPTY_HASH
    if load64(m.programs, program + PROGRAM_HASHED) == 0:
        hash_program(m, program)
    return peek256(m.programs, program + PROGRAM_HASH)


@cold
def hash_program(m: Machine, program: u64) -> None:
    """Hash the code of a program and remember the result in its row."""
    code = load64(m.programs, program + PROGRAM_CODE)
    size = load64(m.programs, program + PROGRAM_SIZE)
    poke256(m.programs, program + PROGRAM_HASH, keccak256(m.code, code, size))
    store64(m.programs, program + PROGRAM_HASHED, 1)


# -------------------------------------------------------------------------- forgetting


def keep_programs(m: Machine) -> None:
    """Make the programs that are there now, and what is decoded, the ones to stay."""
    m.kept_program_end = m.program_end
    m.kept_code_end = m.code_end
    m.kept_stream_end = m.stream_end
    m.kept_block_end = m.block_end


def has_crowded_programs(m: Machine) -> u64:
    """Return 1 if programs use more than half of what there is for them, else 0.

    Also if those that `keep_programs` did not mark are many: there are contracts that
    make new ones for ever. A table of edges is full when there is one for every four
    words.
    """
    if (
        2 * m.program_end > m.program_limit
        or 2 * m.code_end > m.code_limit
        or 2 * m.stream_end > m.stream_limit
        or 2 * m.block_end > m.block_limit
        or 8 * m.edge_count > m.edge_limit
        or m.program_end > m.kept_program_end + MANY_PROGRAMS * PROGRAM_ROW
        or m.code_end > m.kept_code_end + MANY_CODE
        or m.stream_end > m.kept_stream_end + MANY_STREAM
        or m.block_end > m.kept_block_end + MANY_BLOCKS
    ):
        return 1
    return 0


def forget_programs(m: Machine) -> None:
    """Drop all programs, streams and blocks that came after `keep_programs`.

    For between messages, when the journal has gone back as far as it was then, so that
    no account names a program that goes. A program that stays but was decoded later is
    to be decoded again. What the campaign knows of blocks that go, and of all edges, is
    lost.
    """
    for number in range(1, m.kept_program_end // PROGRAM_ROW):
        row = number * PROGRAM_ROW
        if load64(m.programs, row + PROGRAM_STREAM) >= m.kept_stream_end:
            store64(m.programs, row + PROGRAM_STREAM, 0)
            store64(m.programs, row + PROGRAM_BLOCKS, 0)
            store64(m.programs, row + PROGRAM_BLOCK_COUNT, 0)
    m.program_end = m.kept_program_end
    m.code_end = m.kept_code_end
    m.stream_end = m.kept_stream_end
    m.block_end = m.kept_block_end
    m.forgotten = m.forgotten + 1
    m.program = 0
    m.last_block = 0
    m.touched_count = 0
    forget_edges(m)
    enter_programs(m)
