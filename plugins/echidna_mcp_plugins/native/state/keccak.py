"""Keccak-256 (the Keccak submission, version 3, with its original padding)."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    MASK64,
    Bytes,
    Words,
    copy,
    load64,
    local_bytes,
    local_words,
    peek256,
    poke256,
    rotate_left64,
    store64,
    swap_bytes256,
    u64,
    u256,
    unroll,
    wrap256,
)
from echidna_mcp_plugins.native.state.index import fold_word, hash_word
from echidna_mcp_plugins.native.state.machine import Machine

RATE = 136
"""Bytes that a permutation takes in."""
RATE_WORDS = 17
PADDING_FIRST = 0x01
PADDING_LAST = 0x80
LANES = 25
ROUNDS = 24

ROUND_CONSTANTS = (
    0x0000000000000001,
    0x0000000000008082,
    0x800000000000808A,
    0x8000000080008000,
    0x000000000000808B,
    0x0000000080000001,
    0x8000000080008081,
    0x8000000000008009,
    0x000000000000008A,
    0x0000000000000088,
    0x0000000080008009,
    0x000000008000000A,
    0x000000008000808B,
    0x800000000000008B,
    0x8000000000008089,
    0x8000000000008003,
    0x8000000000008002,
    0x8000000000000080,
    0x000000000000800A,
    0x800000008000000A,
    0x8000000080008081,
    0x8000000000008080,
    0x0000000080000001,
    0x8000000080008008,
)
SOURCE_LANES = (
    0, 6, 12, 18, 24, 3, 9, 10, 16, 22, 1, 7, 13,
    19, 20, 4, 5, 11, 17, 23, 2, 8, 14, 15, 21,
)  # fmt: skip
"""The lane from which the step pi takes each lane."""
ROTATIONS = (
    0, 44, 43, 21, 14, 28, 20, 3, 45, 61, 1, 6, 25,
    8, 18, 27, 36, 10, 15, 56, 62, 55, 39, 41, 2,
)  # fmt: skip
"""How far the step rho rotates it on its way."""

MEMO_SHORT = 32
MEMO_LONG = 64
"""Sizes of the inputs that are remembered: those of keys of arrays and mappings."""
MEMO_LOW = 0
"""u256: the first 32 bytes of the input."""
MEMO_HIGH = 32
"""u256: the other 32."""
MEMO_RESULT = 64
"""u256."""
MEMO_SIZE = 96
"""Bytes of input; 0 for none."""
MEMO_ROW = 128
MEMO_MASK = 8191
MEMO_BYTES = 1 << 20
"""Size of `Machine.keccak_memo`: `MEMO_MASK` + 1 rows."""

# ------------------------------------------------------------------------ permutation


def permute(state: Words) -> None:
    """Apply keccak-f[1600] to 25 lanes."""
    lanes = local_words(LANES)
    after = local_words(LANES)
    columns = local_words(5)
    for i in unroll(LANES):
        lanes[i] = state[i]
    for x in unroll(5):
        column = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15]
        columns[x] = column ^ lanes[x + 20]
    for turn in range(ROUNDS // 2):
        apply_round(lanes, after, columns, ROUND_CONSTANTS[2 * turn])
        apply_round(after, lanes, columns, ROUND_CONSTANTS[2 * turn + 1])
    for i in unroll(LANES):
        state[i] = lanes[i]


@inline
def apply_round(lanes: Words, after: Words, columns: Words, constant: u64) -> None:
    """Apply one round, all steps to one row of lanes after the other.

    So few lanes are in use at a time, and most of them can stay in registers.

    Args:
        lanes: before the round.
        after: takes those after it.
        columns: the five columns of lanes, each xored; before the round, then after it.
        constant: of the step iota.
    """
    parity = local_words(5)
    row = local_words(5)
    for x in unroll(5):
        parity[x] = columns[(x + 4) % 5] ^ rotate_left64(columns[(x + 1) % 5], 1)
    for y in unroll(5):
        for x in unroll(5):
            source = SOURCE_LANES[5 * y + x]
            row[x] = rotate_left64(
                lanes[source] ^ parity[source % 5], ROTATIONS[5 * y + x]
            )
        for x in unroll(5):
            others = (MASK64 ^ row[(x + 1) % 5]) & row[(x + 2) % 5]
            after[x + 5 * y] = row[x] ^ others
        if y == 0:
            after[0] = after[0] ^ constant
        for x in unroll(5):
            if y == 0:
                columns[x] = after[x]
            else:
                columns[x] = columns[x] ^ after[x + 5 * y]


@inline
def absorb(state: Words, memory: Bytes, start: u64) -> None:
    """Mix `RATE` bytes into the state."""
    for i in unroll(RATE_WORDS):
        state[i] = state[i] ^ load64(memory, start + 8 * i)
    permute(state)


def keccak256(memory: Bytes, start: u64, size: u64) -> u256:
    """Return the hash of `size` bytes at `start`, as a big-endian number."""
    state = local_words(LANES)
    at = start
    left = size
    while left >= RATE:
        absorb(state, memory, at)
        at = at + RATE
        left = left - RATE
    last = local_bytes(RATE)
    copy(last, 0, memory, at, left)
    last[left] = PADDING_FIRST
    last[RATE - 1] = last[RATE - 1] | PADDING_LAST
    absorb(state, last, 0)
    digest = wrap256(0)
    for i in unroll(4):
        digest = digest | (wrap256(state[i]) << (64 * i))
    return swap_bytes256(digest)


# -------------------------------------------------------------------------------- memo


@inline
def hash_memory(m: Machine, start: u64, size: u64) -> u256:
    """Return the hash of `size` bytes at `start` of `m.memory`.

    Short inputs are remembered, each in the one row that it can have. Equal inputs have
    equal hashes, so what is remembered never matters to a result.
    """
    if size == MEMO_LONG:
        high = peek256(m.memory, start + 32)
        return hash_words(m, start, size, peek256(m.memory, start), high)
    if size == MEMO_SHORT:
        return hash_words(m, start, size, peek256(m.memory, start), 0)
    return keccak256(m.memory, start, size)


@inline
def hash_words(m: Machine, start: u64, size: u64, low: u256, high: u256) -> u256:
    """Return the hash of one or two words, from the memo if it is there.

    Args:
        low: the first word as a little-endian number.
        high: the second, or 0.
    """
    row = (hash_word(low, fold_word(high, size)) & MEMO_MASK) * MEMO_ROW
    if load64(m.keccak_memo, row + MEMO_SIZE) == size:
        same = peek256(m.keccak_memo, row + MEMO_LOW) ^ low
        if same | (peek256(m.keccak_memo, row + MEMO_HIGH) ^ high) == 0:
            return peek256(m.keccak_memo, row + MEMO_RESULT)
    result = keccak256(m.memory, start, size)
    poke256(m.keccak_memo, row + MEMO_LOW, low)
    poke256(m.keccak_memo, row + MEMO_HIGH, high)
    poke256(m.keccak_memo, row + MEMO_RESULT, result)
    store64(m.keccak_memo, row + MEMO_SIZE, size)
    return result
