"""Comparisons: how they are logged, and how far they are from the other outcome.

A comparison log is a ring of `MOST_COMPARISONS` rows of `COMPARISON_ROW` bytes: the
comparison of number n of a call stands in row n modulo `MOST_COMPARISONS`.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import KIND_INT
from echidna_mcp.evm.backend import MOST_COMPARISONS, ComparisonKind
from echidna_mcp.fuzz.integers import magnitude
from echidna_mcp.fuzz.ladders.chunks import bit_length
from echidna_mcp.fuzz.rng import mix64
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    MASK256,
    Bytes,
    copy,
    load64,
    peek256,
    signed_less,
    u64,
    u256,
    wrap64,
    wrap256,
)

COMPARISON_KIND = 0
"""u64: a `ComparisonKind`."""
COMPARISON_SITE = 8
"""u64: `Comparison.site`."""
COMPARISON_LEFT = 16
"""u256, little-endian."""
COMPARISON_RIGHT = 48
"""u256, little-endian."""
COMPARISON_ROW = 80
KIND_SHIFT = 60
"""Sites are below 2 to this, and kinds stand above them in keys."""
SIGN = 1 << 255
EVERY_2ND = MASK256 // 3
EVERY_2_OF_4 = MASK256 // 5
EVERY_4_OF_8 = MASK256 // 17
EVERY_8_OF_16 = MASK256 // 257
EVERY_16TH = MASK256 // 65535
"""Every second bit, two of four, ...; and the last of sixteen."""
PART_BITS = 64
CLOSE_BITS = 8
NEARER = 0
CLOSER = 1
LEFT = 2
RIGHT = 3
LIKER = 4
"""By what a comparison is news: `nearness`, `closeness`, a small operand (`profiles`),
`likeness`."""
MASK_BITS = 64
"""Words that differ in more bits are not alike."""
MEASURED_BITS = 54
"""So many bits of operands decide how close they are."""


@inline
def kind_at(log: Bytes, row: u64) -> u64:
    """Return the kind of the comparison whose row begins at byte `row`."""
    return load64(log, row + COMPARISON_KIND)


@inline
def left_at(log: Bytes, row: u64) -> u256:
    """Return what was the top of the stack."""
    return peek256(log, row + COMPARISON_LEFT)


@inline
def right_at(log: Bytes, row: u64) -> u256:
    """Return the other operand."""
    return peek256(log, row + COMPARISON_RIGHT)


def compares(log: Bytes, row: u64, word: u256) -> u64:
    """Return 1 if one of the operands is a word, else 0."""
    if left_at(log, row) == word or right_at(log, row) == word:
        return wrap64(1)
    return wrap64(0)


@inline
def key_at(log: Bytes, row: u64) -> u64:
    """Return what the mark of the comparison of a row is made of."""
    return key_of(load64(log, row + COMPARISON_SITE), kind_at(log, row))


@inline
def key_of(site: u64, kind: u64) -> u64:
    """Return the same of a comparison of some kind at a site."""
    return site ^ (kind << KIND_SHIFT)


@inline
def mark_at(log: Bytes, row: u64) -> u64:
    """Return what tells the comparison of a row from those of other places; never 0."""
    return mark_of_key(key_at(log, row))


@inline
def mark_of_site(site: u64, kind: u64) -> u64:
    """Return the mark of a comparison of some kind at a site."""
    return mark_of_key(key_of(site, kind))


@inline
def mark_of_key(key: u64) -> u64:
    """Return the mark of comparisons with a key."""
    return mix64(key) | 1


@inline
def is_signed(kind: u64) -> u64:
    """Return 1 if a comparison is of two's complement numbers, else 0."""
    if kind >= ComparisonKind.SIGNED_LESS:
        return 1
    return 0


def holds(kind: u64, left: u256, right: u256) -> u64:
    """Return the outcome of a comparison."""
    if kind == ComparisonKind.EQUAL:
        if left == right:
            return 1
        return 0
    if kind == ComparisonKind.LESS:
        if left < right:
            return 1
        return 0
    if kind == ComparisonKind.GREATER:
        if left > right:
            return 1
        return 0
    if kind == ComparisonKind.SIGNED_LESS:
        return signed_less(left, right)
    return signed_less(right, left)


def outcome_at(log: Bytes, row: u64) -> u64:
    """Return the outcome of the comparison of a row."""
    return holds(kind_at(log, row), left_at(log, row), right_at(log, row))


def missing(kind: u64, wanted: u64) -> u256:
    """Return a difference of the operands, left minus right, with a wanted outcome.

    It is the nearest one, modulo 2^256.
    """
    if kind == ComparisonKind.EQUAL:
        return wrap256(1 - wanted)
    if wanted == 0:
        return wrap256(0)
    if kind == ComparisonKind.LESS or kind == ComparisonKind.SIGNED_LESS:
        return wrap256(0 - wrap256(1))
    return wrap256(1)


def distance(kind: u64, left: u256, right: u256) -> u256:
    """Return how far two operands are apart, as the numbers that they are."""
    if is_signed(kind) != 0:
        return gap(left ^ SIGN, right ^ SIGN)
    return gap(left, right)


def nearness(kind: u64, wanted: u64, left: u256, right: u256) -> u64:
    """Return how far two operands are from a wanted outcome, in classes, from 1 on.

    1 is the outcome itself.
    """
    if holds(kind, left, right) == wanted:
        return wrap64(1)
    return degree(distance(kind, left, right)) + 2


def closeness(kind: u64, wanted: u64, left: u256, right: u256) -> u64:
    """Return the same of the part that the distance is of the greater operand.

    Which is 2 up to a 256th part: then the distance itself says more. It is reckoned in
    few bits: each property that is asked is measured so.
    """
    if holds(kind, left, right) == wanted:
        return wrap64(1)
    far = distance(kind, left, right)
    whole = whole_of(kind, left, right)
    if whole == 0:
        return degree(wrap256(1 << CLOSE_BITS)) + 2
    bits = bit_length(whole)
    if bits > MEASURED_BITS:
        far = far >> (bits - MEASURED_BITS)
        whole = whole >> (bits - MEASURED_BITS)
    return degree(wrap256((wrap64(far) << CLOSE_BITS) // wrap64(whole))) + 2


def part(kind: u64, left: u256, right: u256) -> u256:
    """Return which part of the greater operand the distance is, times 2^PART_BITS.

    Of two that are 0 it is the whole: a relation of nothing to nothing is none. Of
    signed ones with different signs it may be twice as much.
    """
    far = distance(kind, left, right)
    whole = whole_of(kind, left, right)
    if whole == 0:
        return wrap256(1) << PART_BITS
    bits = bit_length(far)
    if bits > 256 - PART_BITS:
        shift = bits - (256 - PART_BITS)
        return ((far >> shift) << PART_BITS) // (whole >> shift)
    return (far << PART_BITS) // whole


def whole_of(kind: u64, left: u256, right: u256) -> u256:
    """Return how far the operand is from 0 that is farther from it."""
    if is_signed(kind) != 0:
        return greater(magnitude(KIND_INT, left), magnitude(KIND_INT, right))
    return greater(left, right)


def degree(number: u256) -> u64:
    """Return the class of a number, from 0 on.

    Its length in bits counts, and the three bits behind the first, so a class less is
    less by about a tenth.
    """
    if number < 16:
        return wrap64(number)
    bits = bit_length(number)
    return (bits << 3) + (wrap64(number >> (bits - 4)) & 7) - 24


@inline
def greater(left: u256, right: u256) -> u256:
    """Return the greater of two numbers."""
    if left < right:
        return right
    return left


@inline
def is_below(left: u256, right: u256) -> u64:
    """Return 1 if the operands' difference is negative as two's complement, else 0."""
    return wrap64(wrap256(left - right) >> 255)


@inline
def gap(left: u256, right: u256) -> u256:
    """Return the difference of two numbers, whichever is greater."""
    if left < right:
        return right - left
    return left - right


def ones(word: u256) -> u64:
    """Return how many bits are set."""
    pairs = word - ((word >> 1) & EVERY_2ND)
    fours = (pairs & EVERY_2_OF_4) + ((pairs >> 2) & EVERY_2_OF_4)
    eights = wrap256(fours + (fours >> 4)) & EVERY_4_OF_8
    # A byte holds no more than 255: two halves are added up, of 16 bits each.
    halves = (eights & EVERY_8_OF_16) + ((eights >> 8) & EVERY_8_OF_16)
    return wrap64(wrap256(halves * EVERY_16TH) >> 240)


def is_against_0(kind: u64, left: u256, right: u256) -> u64:
    """Return 1 if it was asked whether a number is 0, else 0."""
    if kind == ComparisonKind.EQUAL and (left == 0 or right == 0):
        return wrap64(1)
    return wrap64(0)


def likeness(kind: u64, wanted: u64, left: u256, right: u256) -> u64:
    """Return how many bits of two words that shall be equal differ, and 2.

    It is 0 if they need not be equal, are, or have so many other bits that they may be
    hashes. What sets and clears bits of a mask comes nearer so, whichever it begins
    with.
    """
    if kind != ComparisonKind.EQUAL or wanted == 0:
        return wrap64(0)
    differing = ones(left ^ right)
    if differing == 0 or differing > MASK_BITS:
        return wrap64(0)
    return differing + 2


def mask_mark(mark: u64) -> u64:
    """Return under which mark it is known how like the operands of another are."""
    return mix64(mark ^ MASK_BITS) | 1


def copy_log(log: Bytes, count: u64, out: Bytes) -> u64:
    """Copy a log of `count` comparisons in their order; return how many it has kept."""
    if count <= MOST_COMPARISONS:
        copy(out, 0, log, 0, count * COMPARISON_ROW)
        return count
    first = (count % MOST_COMPARISONS) * COMPARISON_ROW
    rest = MOST_COMPARISONS * COMPARISON_ROW - first
    copy(out, 0, log, first, rest)
    copy(out, rest, log, 0, first)
    return wrap64(MOST_COMPARISONS)


def find(rows: Bytes, count: u64, key: u64, number: u64) -> u64:
    """Return where a comparison stands; the end of the rows if it is not there.

    Args:
        rows: as `copy_log` writes them.
        count: how many there are.
        key: of the comparison.
        number: from 0, among those that have this key.
    """
    left = number
    row = wrap64(0)
    while row < count * COMPARISON_ROW:
        if key_at(rows, row) == key:
            if left == 0:
                return row
            left = left - 1
        row = row + COMPARISON_ROW
    return row
