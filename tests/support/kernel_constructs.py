"""Kernel functions that use every construct of the language, well or badly."""

# ruff: noqa: PIE790, PLR0133, PLR1714, RET505, SIM108, SIM201

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum

from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    MASK256,
    Bytes,
    Words,
    clear,
    copy,
    load32,
    load64,
    load256,
    local_bytes,
    local_words,
    peek256,
    poke256,
    store32,
    store64,
    store256,
    u8,
    u16,
    u32,
    u64,
    u128,
    u256,
    u512,
    unroll,
    wrap8,
    wrap16,
    wrap32,
    wrap64,
    wrap128,
    wrap256,
    wrap512,
)
from echidna_mcp.kernel.language.record import record

LIMIT = 40
BIG = 1 << 200
PRIMES = (2, 3, 5, 7, 11, 13, 17, 19)
WIDE = (1, 1 << 255, MASK256, 5)


class Colour(IntEnum):
    RED = 3
    BLUE = 7


@record
class Part:
    count: u64
    words: Words


@record
class State:
    tiny: u8
    small: u16
    half: u32
    word: u64
    long: u128
    wide: u256
    huge: u512
    memory: Bytes
    table: Words
    part: Part
    host: Callable[[u64], u64]


# ------------------------------------------------------------------------ variables


def single(a: u64, b: u64) -> u64:
    c = a ^ b
    d = c & 0xFFFF
    return d + 1


def reassigned(a: u64, b: u64) -> u64:
    a = a & 0xFFFF
    c = a
    a = b & 0xFF
    c = c * 2 + a
    return c + a


def swapped_in_loop(a: u64, b: u64) -> u64:
    for _ in range(3):
        c = a
        a = b
        b = c
    return a ^ wrap64(b << 1)


def literal_kinds(a: u64, b: u64) -> u64:
    wide = BIG
    wide = wide | 1
    small = 0
    small = small | a
    if wide >> 200 == 1 and wide & 1 == 1:
        return small ^ b
    return 0


def joined(a: u64, b: u64) -> u64:
    if a < b:
        c = wrap256(a)
    else:
        c = wrap256(b) << 64
    return wrap64(c) ^ wrap64(c >> 64)


# --------------------------------------------------------------------- control flow


def ladder(a: u64, b: u64) -> u64:
    if a == b:
        return 1
    elif a < b and a != 0:
        return 2
    elif not (a & 1 == 0 or b & 1 == 0):
        return 3
    if (a > 100 or b > 100) and not a == 7:
        return 4
    if a == 1 or a == 2 or (b == 3 and a == 4) or b == 9:
        return 5
    return 6


def known_conditions(a: u64, b: u64) -> u64:
    total = 0
    if LIMIT > 30 and a > 3:
        total = total + 1
    if LIMIT < 30 or b > 3:
        total = total + 2
    if a > 5 and LIMIT < 30:
        total = total + 4
    if a > 5 or LIMIT > 30:
        total = total + 8
    if not LIMIT == 40:
        total = total + 16
    if LIMIT == 40 and 1 < 2:
        total = total + 32
    if b > 9 and (LIMIT == 40 or a > 1) and True:
        total = total + 64
    if b > 9 or (LIMIT == 41 and a > 1) or False:
        total = total + 128
    return total


def collatz(a: u64, b: u64) -> u64:
    value = (a & 0xFFFF) + 1
    steps = 0
    while value != 1 and steps < LIMIT + (b & 31):
        if value & 1 == 0:
            value = value // 2
            steps = steps + 1
            continue
        value = 3 * value + 1
        steps = steps + 1
    return steps


def endless(a: u64, b: u64) -> u64:
    steps = 0
    while True:
        steps = steps + 1
        found = a >> (steps & 31)
        if found & 1 == b & 1:
            break
        if steps == 40:
            return 99
    return wrap64(steps + found)


def ranges(a: u64, b: u64) -> u64:
    total = 0
    for i in range(a & 15):
        for j in range(i, (b & 15) + 2):
            if j == 9:
                break
            if (i ^ j) & 1 == 1:
                continue
            total = total + i * j
    for i in range(5, 2):
        total = total + i + 1000
    i = total
    return i + 1


def unrolled(a: u64, b: u64) -> u64:
    total = 0
    for i in unroll(8):
        if i == 6:
            break
        if i == 2:
            continue
        if (a >> i) & 1 == 1:
            total = total + PRIMES[i]
            continue
        total = total * 2
        if total > b & 63:
            break
    return total


def unrolled_assignment(a: u64, b: u64) -> u64:
    for i in unroll(3):
        if i == 0 or a & 1 == i & 1:
            last = b >> i
    return last


def nested_unroll(a: u64, b: u64) -> u64:
    total = 0
    for i in unroll(4):
        for j in unroll(4):
            if i < j:
                total = total ^ (a >> (i * 8 + j)) ^ (b >> j)
        for k in range(i):
            total = total + k
            if total & 7 == 7:
                break
    return total & 0xFFFFFFFF


def nothing(a: u64, b: u64) -> u64:
    pass
    for i in unroll(0):
        return i
    while LIMIT == 41:
        return 5
    if LIMIT == 41:
        return PRIMES[99]
    return a & b


# ----------------------------------------------------------------------------- calls


@inline
def twice(a: u64) -> u64:
    return wrap64(a * 2)


@cold
def seldom(a: u64) -> u64:
    return a ^ 0xFF


def fibonacci(a: u64) -> u64:
    if a < 2:
        return a
    return fibonacci(a - 1) + fibonacci(a - 2)


def is_even(a: u64) -> u64:
    if a == 0:
        return 1
    return is_odd(a - 1)


def is_odd(a: u64) -> u64:
    if a == 0:
        return 0
    return is_even(a - 1)


def bump(buffer: Words, by: u64) -> None:
    if by == 0:
        return
    buffer[0] = wrap64(buffer[0] + by)


def bumped(buffer: Words, by: u64) -> u64:
    bump(buffer, by)
    return buffer[0]


def calls(a: u64, b: u64) -> u64:
    box = local_words(1)
    box[0] = a
    bump(box, b)
    order = box[0] ^ bumped(box, 3) ^ box[0]
    return order ^ wrap64(twice(a) + seldom(b)) ^ fibonacci(a & 7) ^ is_even(b & 15)


def widths(a: u64, b: u64) -> u64:
    byte = wrap8(a)
    short = wrap16(byte) << 4 | wrap16(b & 15)
    half = wrap32(short) * 3
    long = wrap128(half) << 64 | wrap128(a)
    huge = wrap512(long) * wrap512(long)
    back = wrap256(huge >> 128) ^ wrap256(long)
    return wrap64(back) ^ wrap64(huge) ^ wrap64(half) ^ wrap64(byte)


def constants(a: u64, b: u64) -> u64:
    total = PRIMES[a & 7] + PRIMES[3]
    wide = WIDE[b & 3] ^ WIDE[1]
    if a & 7 == Colour.RED or b == Colour.BLUE + 0:
        total = total + 100
    return wrap64(wide >> 192) ^ total


# ---------------------------------------------------------------------------- memory


def local_buffers(a: u64, b: u64) -> u64:
    words = local_words(9)
    data = local_bytes(64)
    for i in range(9):
        words[i] = wrap64(a * (i + 1))
    store64(data, 3, b)
    store32(data, 40, a & 0xFFFFFFFF)
    total = 0
    for i in range(64):
        total = wrap64(total * 31 + data[i])
    for i in unroll(9):
        total = total ^ words[i]
    return wrap64(total + len(words) + len(data) - 73)


def fresh_local_buffer(a: u64) -> u64:
    words = local_words(4)
    before = words[a & 3]
    words[a & 3] = a
    return before


def zeroed_each_time(a: u64, b: u64) -> u64:
    return fresh_local_buffer(a) | fresh_local_buffer(b) | fresh_local_buffer(a)


def memory_walk(data: Bytes, words: Words, a: u64, b: u64) -> u64:
    at = a & 31
    store256(data, at, load256(data, 32) ^ wrap256(b))
    poke256(data, 64 + at, peek256(data, at))
    store64(data, 100, load64(data, 7) ^ a)
    store32(data, 120, load32(data, 64))
    data[at] = (data[at + 1] + 1) & 255
    words[a & 3] = wrap64(words[3] + load64(data, at))
    copy(data, 10, data, 5, 20 + (b & 15))
    copy(data, 50, data, 55, b & 31)
    clear(data, 90, a & 7)
    chosen = words
    if a & 1 == 0:
        chosen = local_words(4)
    chosen[1] = a
    return words[1] ^ chosen[2]


def fields(state: State, a: u64, b: u64) -> u64:
    state.tiny = wrap8(a)
    state.small = wrap16(b) ^ state.small
    state.half = wrap32(state.half + 1)
    state.word = wrap64(state.word * 3 + a)
    state.long = wrap128(state.long << 3 | wrap128(b))
    state.wide = wrap256(state.wide + wrap256(state.long))
    state.huge = wrap512(wrap512(state.wide) * wrap512(state.wide))
    memory = state.memory
    store64(memory, 8, state.word)
    state.table[1] = state.part.words[2] + len(state.memory)
    part = state.part
    part.count = part.count + len(state.table)
    state.part.words[0] = state.host(a & 0xFF)
    return state.host(7) + wrap64(state.tiny)


TWO_NUMBERS = (
    single,
    reassigned,
    swapped_in_loop,
    literal_kinds,
    joined,
    ladder,
    known_conditions,
    collatz,
    endless,
    ranges,
    unrolled,
    unrolled_assignment,
    nested_unroll,
    nothing,
    calls,
    widths,
    constants,
    local_buffers,
    zeroed_each_time,
)
