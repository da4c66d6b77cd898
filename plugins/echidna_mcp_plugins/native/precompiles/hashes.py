"""SHA-256, RIPEMD-160 and the compression function of BLAKE2b."""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    copy,
    load32,
    load64,
    local_bytes,
    local_words,
    rotate_left64,
    store64,
    u32,
    u64,
    unroll,
    wrap32,
    wrap64,
)

MASK32 = 0xFFFFFFFF
HASH_BLOCK = 64
"""Bytes that SHA-256 and RIPEMD-160 take at a time."""
LENGTH_AT = 56
"""Where the length stands in the last block."""
PADDING = 0x80
"""The byte after the message."""


@inline
def rotate_left32(value: u32, amount: u64) -> u32:
    """Return a word rotated left by 1 to 31."""
    return wrap32(value << amount) | value >> (32 - amount)


@inline
def rotate_right32(value: u32, amount: u64) -> u32:
    """Return a word rotated right by 1 to 31."""
    return value >> amount | wrap32(value << (32 - amount))


def pad_message(memory: Bytes, start: u64, size: u64, tail: Bytes) -> u64:
    """Write what follows the last whole block of a message, but for the length.

    Args:
        tail: two blocks, of zeros.

    Returns:
        how many of the two there are.
    """
    rest = size % HASH_BLOCK
    copy(tail, 0, memory, start + (size - rest), rest)
    tail[rest] = PADDING
    if rest < LENGTH_AT:
        return 1
    return 2


# ---------------------------------------------------------------------------- SHA-256

SHA256_START = (
    *(0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A),
    *(0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19),
)
SHA256_ROUNDS = (
    *(0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1),
    *(0x923F82A4, 0xAB1C5ED5, 0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3),
    *(0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174, 0xE49B69C1, 0xEFBE4786),
    *(0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA),
    *(0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147),
    *(0x06CA6351, 0x14292967, 0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13),
    *(0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85, 0xA2BFE8A1, 0xA81A664B),
    *(0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070),
    *(0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A),
    *(0x5B9CCA4F, 0x682E6FF3, 0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208),
    *(0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2),
)


def sha256(memory: Bytes, start: u64, size: u64, out: Bytes, at: u64) -> None:
    """Write the SHA-256 of a message to 32 bytes of `out` (FIPS 180-4)."""
    state = local_words(8)
    for i in range(8):
        state[i] = SHA256_START[i]
    for block in range(size // HASH_BLOCK):
        sha256_block(state, memory, start + block * HASH_BLOCK)
    tail = local_bytes(128)
    blocks = pad_message(memory, start, size, tail)
    for i in range(8):
        tail[blocks * HASH_BLOCK - 1 - i] = wrap64(size * 8) >> (8 * i) & 0xFF
    for block in range(blocks):
        sha256_block(state, tail, block * HASH_BLOCK)
    for i in range(32):
        out[at + i] = state[i // 4] >> (8 * (3 - i % 4)) & 0xFF


def sha256_block(state: Words, memory: Bytes, start: u64) -> None:
    """Take one block into the state of SHA-256."""
    w = local_words(64)
    for i in range(16):
        w[i] = load_word(memory, start + 4 * i)
    for i in range(48):
        x = wrap32(w[i + 1])
        y = wrap32(w[i + 14])
        low = rotate_right32(x, 7) ^ rotate_right32(x, 18) ^ x >> 3
        high = rotate_right32(y, 17) ^ rotate_right32(y, 19) ^ y >> 10
        w[i + 16] = w[i] + wrap64(low) + w[i + 9] + wrap64(high) & MASK32
    a = wrap32(state[0])
    b = wrap32(state[1])
    c = wrap32(state[2])
    d = wrap32(state[3])
    e = wrap32(state[4])
    f = wrap32(state[5])
    g = wrap32(state[6])
    h = wrap32(state[7])
    for turn in range(8):
        at = 8 * turn
        # After eight steps each variable is back in its place: unrolled, none moves.
        for i in unroll(8):
            mixed = rotate_right32(e, 6) ^ rotate_right32(e, 11) ^ rotate_right32(e, 25)
            choice = g ^ (e & (f ^ g))
            first = wrap32(
                h + mixed + choice + wrap32(SHA256_ROUNDS[at + i] + w[at + i])
            )
            mixed = rotate_right32(a, 2) ^ rotate_right32(a, 13) ^ rotate_right32(a, 22)
            second = wrap32(mixed + (a & b | c & (a | b)))
            h = g
            g = f
            f = e
            e = wrap32(d + first)
            d = c
            c = b
            b = a
            a = wrap32(first + second)
    state[0] = state[0] + wrap64(a) & MASK32
    state[1] = state[1] + wrap64(b) & MASK32
    state[2] = state[2] + wrap64(c) & MASK32
    state[3] = state[3] + wrap64(d) & MASK32
    state[4] = state[4] + wrap64(e) & MASK32
    state[5] = state[5] + wrap64(f) & MASK32
    state[6] = state[6] + wrap64(g) & MASK32
    state[7] = state[7] + wrap64(h) & MASK32


@inline
def load_word(memory: Bytes, at: u64) -> u64:
    """Return the big-endian 32-bit word at byte `at`."""
    return (
        memory[at] << 24 | memory[at + 1] << 16 | memory[at + 2] << 8 | memory[at + 3]
    )


# ------------------------------------------------------------------------- RIPEMD-160

RIPEMD_START = (0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0)
RIPEMD_CONSTANTS = (
    *(0x00000000, 0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xA953FD4E),
    *(0x50A28BE6, 0x5C4DD124, 0x6D703EF3, 0x7A6D76E9, 0x00000000),
)
"""For each round of the left line, then of the right one."""
RIPEMD_WORDS = (
    *(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    *(7, 4, 13, 1, 10, 6, 15, 3, 12, 0, 9, 5, 2, 14, 11, 8),
    *(3, 10, 14, 4, 9, 15, 8, 1, 2, 7, 0, 6, 13, 11, 5, 12),
    *(1, 9, 11, 10, 0, 8, 12, 4, 13, 3, 7, 15, 14, 5, 6, 2),
    *(4, 0, 5, 9, 7, 12, 2, 10, 14, 1, 3, 8, 11, 6, 15, 13),
    *(5, 14, 7, 0, 9, 2, 11, 4, 13, 6, 15, 8, 1, 10, 3, 12),
    *(6, 11, 3, 7, 0, 13, 5, 10, 14, 15, 8, 12, 4, 9, 1, 2),
    *(15, 5, 1, 3, 7, 14, 6, 9, 11, 8, 12, 2, 10, 0, 4, 13),
    *(8, 6, 4, 1, 3, 11, 15, 0, 5, 12, 2, 13, 9, 7, 10, 14),
    *(12, 15, 10, 4, 1, 5, 8, 7, 6, 2, 13, 14, 0, 3, 9, 11),
)
"""Which word of the block a step takes; the left line, then the right one."""
RIPEMD_SHIFTS = (
    *(11, 14, 15, 12, 5, 8, 7, 9, 11, 13, 14, 15, 6, 7, 9, 8),
    *(7, 6, 8, 13, 11, 9, 7, 15, 7, 12, 15, 9, 11, 7, 13, 12),
    *(11, 13, 6, 7, 14, 9, 13, 15, 14, 8, 13, 6, 5, 12, 7, 5),
    *(11, 12, 14, 15, 14, 15, 9, 8, 9, 14, 5, 6, 8, 6, 5, 12),
    *(9, 15, 5, 11, 6, 8, 13, 12, 5, 12, 13, 14, 11, 8, 5, 6),
    *(8, 9, 9, 11, 13, 15, 15, 5, 7, 7, 8, 11, 14, 14, 12, 6),
    *(9, 13, 15, 7, 12, 8, 9, 11, 7, 7, 12, 7, 6, 15, 13, 11),
    *(9, 7, 15, 11, 8, 6, 6, 14, 12, 13, 5, 14, 13, 13, 7, 5),
    *(15, 5, 8, 11, 14, 14, 6, 14, 6, 9, 12, 9, 12, 5, 15, 8),
    *(8, 5, 12, 9, 12, 5, 14, 6, 8, 13, 6, 5, 15, 13, 11, 11),
)
RIPEMD_STEPS = 80


def ripemd160(memory: Bytes, start: u64, size: u64, out: Bytes, at: u64) -> None:
    """Write the RIPEMD-160 of a message to 20 bytes of `out`."""
    state = local_words(5)
    for i in range(5):
        state[i] = RIPEMD_START[i]
    for block in range(size // HASH_BLOCK):
        ripemd_block(state, memory, start + block * HASH_BLOCK)
    tail = local_bytes(128)
    blocks = pad_message(memory, start, size, tail)
    store64(tail, blocks * HASH_BLOCK - 8, wrap64(size * 8))
    for block in range(blocks):
        ripemd_block(state, tail, block * HASH_BLOCK)
    for i in range(20):
        out[at + i] = state[i // 4] >> (8 * (i % 4)) & 0xFF


def ripemd_block(state: Words, memory: Bytes, start: u64) -> None:
    """Take one block into the state of RIPEMD-160."""
    left = local_words(5)
    right = local_words(5)
    ripemd_line(state, memory, start, 0, left)
    ripemd_line(state, memory, start, 1, right)
    first = state[1] + left[2] + right[3]
    state[1] = (state[2] + left[3] + right[4]) & MASK32
    state[2] = (state[3] + left[4] + right[0]) & MASK32
    state[3] = (state[4] + left[0] + right[1]) & MASK32
    state[4] = (state[0] + left[1] + right[2]) & MASK32
    state[0] = first & MASK32


def ripemd_line(state: Words, memory: Bytes, start: u64, line: u64, out: Words) -> None:
    """Run one of the two lines of RIPEMD-160 over a block: 0 left, 1 right."""
    a = wrap32(state[0])
    b = wrap32(state[1])
    c = wrap32(state[2])
    d = wrap32(state[3])
    e = wrap32(state[4])
    for i in range(RIPEMD_STEPS):
        turn = i // 16
        kind = turn
        if line != 0:
            kind = 4 - turn
        step = line * RIPEMD_STEPS + i
        word = load32(memory, start + 4 * RIPEMD_WORDS[step])
        term = wrap32(word + RIPEMD_CONSTANTS[line * 5 + turn])
        mixed = wrap32(a + ripemd_mix(kind, b, c, d) + term)
        turned = wrap32(rotate_left32(mixed, RIPEMD_SHIFTS[step]) + e)
        a = e
        e = d
        d = rotate_left32(c, 10)
        c = b
        b = turned
    out[0] = wrap64(a)
    out[1] = wrap64(b)
    out[2] = wrap64(c)
    out[3] = wrap64(d)
    out[4] = wrap64(e)


@inline
def ripemd_mix(kind: u64, x: u32, y: u32, z: u32) -> u32:
    """Return one of the five Boolean functions of RIPEMD-160."""
    if kind == 0:
        return x ^ y ^ z
    if kind == 1:
        return x & y | (MASK32 ^ x) & z
    if kind == 2:
        return (x | MASK32 ^ y) ^ z
    if kind == 3:
        return x & z | y & (MASK32 ^ z)
    return x ^ (y | MASK32 ^ z)


# -------------------------------------------------------------------------- BLAKE2b F

BLAKE2_START = (
    *(0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1),
    *(0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179),
)
BLAKE2_WORDS = (
    *(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
    *(14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3),
    *(11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4),
    *(7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8),
    *(9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13),
    *(2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9),
    *(12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11),
    *(13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10),
    *(6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5),
    *(10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0),
)
BLAKE2_COLUMNS = (
    *(0, 4, 8, 12),
    *(1, 5, 9, 13),
    *(2, 6, 10, 14),
    *(3, 7, 11, 15),
    *(0, 5, 10, 15),
    *(1, 6, 11, 12),
    *(2, 7, 8, 13),
    *(3, 4, 9, 14),
)
"""The four words that each of the eight mixings of a round works on."""


def blake2_compress(memory: Bytes, start: u64, out: Bytes) -> None:
    """Run the function F of BLAKE2b (RFC 7693, section 3.2; EIP-152).

    Args:
        memory: holds, at `start`: u32 rounds (big-endian), eight words of state,
            sixteen of message, two of offset (little-endian), and a byte that says
            whether the block is the last.
        out: its first 64 bytes get the new state.
    """
    v = local_words(16)
    for i in range(8):
        v[i] = load64(memory, start + 4 + 8 * i)
        v[8 + i] = BLAKE2_START[i]
    v[12] = v[12] ^ load64(memory, start + 196)
    v[13] = v[13] ^ load64(memory, start + 204)
    if memory[start + 212] != 0:
        v[14] = 0xFFFFFFFFFFFFFFFF ^ v[14]
    for turn in range(blake2_rounds(memory, start)):
        for i in range(8):
            word = turn % 10 * 16 + 2 * i
            first = load64(memory, start + 68 + 8 * BLAKE2_WORDS[word])
            second = load64(memory, start + 68 + 8 * BLAKE2_WORDS[word + 1])
            blake2_mix(v, 4 * i, first, second)
    for i in range(8):
        store64(out, 8 * i, load64(memory, start + 4 + 8 * i) ^ v[i] ^ v[i + 8])


@inline
def blake2_rounds(memory: Bytes, start: u64) -> u64:
    """Return the number of rounds that the input asks for."""
    return load_word(memory, start)


@inline
def blake2_mix(v: Words, column: u64, first: u64, second: u64) -> None:
    """Mix two words of message into the four words of a column or diagonal."""
    a = BLAKE2_COLUMNS[column]
    b = BLAKE2_COLUMNS[column + 1]
    c = BLAKE2_COLUMNS[column + 2]
    d = BLAKE2_COLUMNS[column + 3]
    v[a] = wrap64(v[a] + v[b] + first)
    v[d] = rotate_left64(v[d] ^ v[a], 32)
    v[c] = wrap64(v[c] + v[d])
    v[b] = rotate_left64(v[b] ^ v[c], 40)
    v[a] = wrap64(v[a] + v[b] + second)
    v[d] = rotate_left64(v[d] ^ v[a], 48)
    v[c] = wrap64(v[c] + v[d])
    v[b] = rotate_left64(v[b] ^ v[c], 1)
