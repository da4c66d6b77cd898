"""Kernel functions with every type of argument and result, for tests of libraries."""

from __future__ import annotations

from collections.abc import Callable

from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    copy,
    u8,
    u16,
    u32,
    u64,
    u128,
    u256,
    u512,
    wrap8,
    wrap16,
    wrap32,
    wrap64,
    wrap128,
    wrap256,
    wrap512,
)
from echidna_mcp.kernel.language.processor import give_way, nanoseconds
from echidna_mcp.kernel.language.record import record

STEP = 3


@record
class Box:
    """A field of every kind."""

    tiny: u8
    short: u16
    middle: u32
    plain: u64
    double: u128
    wide: u256
    huge: u512
    name: Bytes
    table: Words
    ask: Callable[[u64], u64]


def next8(value: u8) -> u8:
    """Return `value` + 1, wrapped."""
    return wrap8(value + 1)


def next16(value: u16) -> u16:
    """Return `value` + 1, wrapped."""
    return wrap16(value + 1)


def next32(value: u32) -> u32:
    """Return `value` + 1, wrapped."""
    return wrap32(value + 1)


def next64(value: u64) -> u64:
    """Return `value` + 1, wrapped."""
    return wrap64(value + 1)


def next128(value: u128) -> u128:
    """Return `value` + 1, wrapped."""
    return wrap128(value + 1)


def next256(value: u256) -> u256:
    """Return `value` + 1, wrapped."""
    return wrap256(value + 1)


def next512(value: u512) -> u512:
    """Return `value` + 1, wrapped."""
    return wrap512(value + 1)


def mixed(  # noqa: PLR0917 - kernel code has positional arguments only
    one: u8, name: Bytes, two: u256, table: Words, three: u16, box: Box, four: u512
) -> u64:
    """Write each argument somewhere into a buffer or the box."""
    name[0] = wrap64(one)
    table[0] = wrap64(two >> 200)
    box.plain = wrap64(three)
    box.huge = four
    return wrap64(four >> 500)


def advance(box: Box) -> None:
    """Add `STEP` to every number of the box, wrapped, and to its buffers."""
    box.tiny = wrap8(box.tiny + STEP)
    box.short = wrap16(box.short + STEP)
    box.middle = wrap32(box.middle + STEP)
    box.plain = wrap64(box.plain + STEP)
    box.double = wrap128(box.double + STEP)
    box.wide = wrap256(box.wide + STEP)
    box.huge = wrap512(box.huge + STEP)
    box.name[0] = (box.name[0] + STEP) & 0xFF
    box.table[0] = wrap64(box.table[0] + STEP)


def ask_twice(box: Box, value: u64) -> u64:
    """Return what the callback of the box says to its own answer."""
    first = box.ask(value)
    return box.ask(first)


def pick(name: Bytes, at: u64) -> u64:
    """Return a byte."""
    return name[at]


def shift(name: Bytes, at: u64, start: u64, size: u64) -> None:
    """Copy bytes inside of a buffer."""
    copy(name, at, name, start, size)


def spin(table: Words, count: u64) -> u64:
    """Keep busy: `count` steps of a chain that can't be cut short."""
    value = table[0]
    for index in range(count):
        value = wrap64(value * 6364136223846793005 + index) ^ (value >> 17)
    table[0] = value
    return value


def generous(turns: u64) -> u64:
    """Give way so many times; return how many it were."""
    done = wrap64(0)
    for _ in range(turns):
        give_way()
        done = done + 1
    return done


def timed(count: u64) -> u64:
    """Return the nanoseconds from the first to the last of so many looks at them."""
    begin = nanoseconds()
    now = begin
    for _ in range(count):
        seen = nanoseconds()
        if wrap64(seen - now) > 1 << 63:
            return 0
        now = seen
    return wrap64(now - begin)


def missing(value: u64) -> u64:
    """Return `value`; in no plan."""
    return value
