"""Keccak-256 (the Keccak submission, version 3, with its original padding)."""

from __future__ import annotations

from echidna_mcp.kernel.marks import inline
from echidna_mcp.kernel.memory import (
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
from echidna_mcp_plugins.native.index import hash_word
from echidna_mcp_plugins.native.machine import Machine

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
PI_LANES = (
    10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4,
    15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1,
)  # fmt: skip
"""The cycle in which the lanes move, from lane 1 on."""
RHO_BITS = (
    1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14,
    27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44,
)  # fmt: skip
"""How far each is rotated on its way."""

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
    row = local_words(5)
    for i in unroll(LANES):
        lanes[i] = state[i]
    for turn in range(ROUNDS):
        mix_columns(lanes, row)
        move_lanes(lanes)
        mix_rows(lanes, row)
        lanes[0] = lanes[0] ^ ROUND_CONSTANTS[turn]
    for i in unroll(LANES):
        state[i] = lanes[i]


@inline
def mix_columns(lanes: Words, row: Words) -> None:
    """Apply the step theta; `row` is scratch."""
    for x in unroll(5):
        column = lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15]
        row[x] = column ^ lanes[x + 20]
    for x in unroll(5):
        parity = row[(x + 4) % 5] ^ rotate_left64(row[(x + 1) % 5], 1)
        for y in unroll(5):
            lanes[x + 5 * y] = lanes[x + 5 * y] ^ parity


@inline
def move_lanes(lanes: Words) -> None:
    """Apply the steps rho and pi."""
    moved = lanes[1]
    for i in unroll(24):
        replaced = lanes[PI_LANES[i]]
        lanes[PI_LANES[i]] = rotate_left64(moved, RHO_BITS[i])
        moved = replaced


@inline
def mix_rows(lanes: Words, row: Words) -> None:
    """Apply the step chi; `row` is scratch."""
    for y in unroll(5):
        for x in unroll(5):
            row[x] = lanes[x + 5 * y]
        for x in unroll(5):
            others = (MASK64 ^ row[(x + 1) % 5]) & row[(x + 2) % 5]
            lanes[x + 5 * y] = row[x] ^ others


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
    row = (hash_word(low, hash_word(high, size)) & MEMO_MASK) * MEMO_ROW
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
