"""Profiles: the small numbers that a comparison was ever made with.

In which phase an auction is, how many have signed, how far a streak has come: what
contracts keep in structs and mappings shows in no state (`evm.states`) and no code. But
somebody asks for it: then it is an operand. So a small operand that a comparison of two
small numbers never had is news (value profile of libFuzzer), if none of both is a
matter of the call's arguments, or of a loop, whose comparison is made again and again.
"""

from __future__ import annotations

from echidna_mcp.evm.backend import MOST_COMPARISONS
from echidna_mcp.fuzz.climbing.comparisons import (
    COMPARISON_ROW,
    LEFT,
    RIGHT,
    greater,
    is_against_0,
    kind_at,
    left_at,
    mark_at,
    right_at,
)
from echidna_mcp.fuzz.climbing.sites import NEAREST, NO_ROW, PROFILE, place_of, row_of
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.integers import least
from echidna_mcp.fuzz.layout import CALL_HEADER
from echidna_mcp.fuzz.records import plain_length
from echidna_mcp.fuzz.rng import mix64
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    load256,
    u64,
    u256,
    wrap64,
)

GREATEST = 16
"""Small numbers are no greater."""
MOST_BESIDE = 255
"""Nor is what they are compared with: amounts are small by chance."""
SEEN = 1 << 12
"""Instead of a `nearness`, each of which is less: that such a number was seen."""
MOST_PROFILES = 256
"""Small numbers that are news to a campaign: an index may be any that fits."""
FIRST_BITS = 8
FIRST_MASK = (1 << FIRST_BITS) - 1


def profile_mark(mark: u64, side: u64, value: u64) -> u64:
    """Return the mark of a small operand of the comparison with this mark."""
    return mix64(mark ^ (value << 8) ^ (side << 2)) | 1


def find_profile(c: Climb, log: Bytes, count: u64, calls: Bytes, begin: u64) -> u64:
    """Find a comparison of a call with a small operand that is news.

    The first one that a task meets is none: others are held against it.

    Args:
        c: the record.
        log: what the call has compared.
        count: how many comparisons it made.
        calls: holds the record of the call.
        begin: where.

    Returns:
        0 for none; else `LEFT` or `RIGHT`, and 1 + 2 * the byte of the log at which its
        row begins.
    """
    if c.profiles == 0:
        return wrap64(0)
    for number in range(least(count, MOST_COMPARISONS)):
        at = number * COMPARISON_ROW
        side = small_side(c.sites, log, at)
        if side != 0 and is_alien(log, count, at, calls, begin) != 0:
            return 1 + 2 * at + side
    return wrap64(0)


def is_of_small(kind: u64, left: u256, right: u256) -> u64:
    """Return 1 if operands of a comparison may be news, else 0."""
    if greater(left, right) > MOST_BESIDE:
        return wrap64(0)
    # Where it only counts whether a number is 0 it may be any other one.
    return 1 - is_against_0(kind, left, right)


def small_side(sites: Words, log: Bytes, at: u64) -> u64:
    """Return which operand of the comparison at `at` is small and new; 0 for none."""
    left = left_at(log, at)
    right = right_at(log, at)
    if is_of_small(kind_at(log, at), left, right) == 0:
        return wrap64(0)
    row = row_of(sites, mark_at(log, at))
    if row == NO_ROW:
        return wrap64(0)
    if is_unseen(sites, row, wrap64(LEFT), left) != 0:
        return wrap64(LEFT)
    if is_unseen(sites, row, wrap64(RIGHT), right) != 0:
        return wrap64(RIGHT)
    return wrap64(0)


def is_unseen(sites: Words, row: u64, side: u64, operand: u256) -> u64:
    """Return 1 if a small operand of the comparison of a row is a new one, else 0."""
    if operand > GREATEST:
        return 0
    shift = (side - LEFT) * FIRST_BITS
    value = wrap64(operand)
    first = (sites[row + PROFILE] >> shift) & FIRST_MASK
    if first == 0:
        sites[row + PROFILE] = sites[row + PROFILE] | ((value + 1) << shift)
        return 0
    if first == value + 1:
        return 0
    known = place_of(sites, profile_mark(sites[row], side, value))
    if known == NO_ROW or sites[known + NEAREST] != 0:
        return 0
    return 1


def is_alien(log: Bytes, count: u64, at: u64, calls: Bytes, begin: u64) -> u64:
    """Return 1 if the operands of the row at `at` are none of the call or of a loop.

    Args as those of `find_profile`.
    """
    mark = mark_at(log, at)
    for number in range(least(count, MOST_COMPARISONS)):
        other = number * COMPARISON_ROW
        if other != at and mark_at(log, other) == mark:
            return 0
    left = left_at(log, at)
    right = right_at(log, at)
    place = begin + CALL_HEADER
    end = begin + plain_length(calls, begin)
    while place < end:
        word = load256(calls, place)
        if word == left or word == right:
            return 0
        place = place + 32
    return 1
