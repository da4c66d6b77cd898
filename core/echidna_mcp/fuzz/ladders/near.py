"""Numbered smaller numbers, for conditions of any kind.

`bit_lower` finds the smallest number that a monotonic condition allows. Here are also
numbers that keep what a condition on remainders or bits looks at, and small ones.
"""

from __future__ import annotations

from echidna_mcp.fuzz.ladders.chunks import bit_length, step_at
from echidna_mcp.kernel.language.memory import u64, u256, wrap256

SMALL = 32
"""All numbers up to this one are tried."""
MODULI = (
    *(36, 40, 48, 50, 60, 72, 96, 97, 100, 120, 144, 240, 360, 365, 500, 720, 1_000),
    *(1_440, 3_600, 5_040, 10_000, 86_400, 100_000, 604_800, 10**6, 31_536_000, 10**8),
    *(10**9, 10**12, 10**15, 10**18, 10**27),
)
"""What contracts take remainders of: parts of a whole, units of time and of money, and
numbers with many divisors, since the remainder by one keeps that by each of those."""
MODULI_COUNT = 32
WIDTHS = (6, 7, 8, 12, 16, 20, 24, 32, 48, 64, 96, 128, 160, 192)
"""Of how many low bits are kept; narrower ones leave no number above `SMALL`."""
WIDTHS_COUNT = 14
BITS = 32
"""Single bits are cleared if no more than so many are set; else whole bytes."""
POWERS = 15
"""The number less 2^15, 2^14, ... and 2 is tried: thresholds of even and odd ones."""

SHIFTS_AT = 2
WIDTHS_AT = SHIFTS_AT + 8
TOP_AT = WIDTHS_AT + WIDTHS_COUNT
SMALL_AT = TOP_AT + 1
MODULI_AT = SMALL_AT + SMALL - 1
BITS_AT = MODULI_AT + MODULI_COUNT
POWERS_AT = BITS_AT + BITS
LESS_AT = POWERS_AT + POWERS
NEAR_SLOTS = LESS_AT + 256
"""Where each kind of candidates begins. The places are the same for all numbers, so
that who goes on with the same slot after a success goes on with the same kind, wherever
in a sequence other numbers have become smaller."""


def near_slots(value: u256) -> u64:
    """Return how many slots `near_at` knows."""
    if value == 0:
        return 0
    return NEAR_SLOTS


def near_at(value: u256, slot: u64) -> u256:
    """Return smaller number `slot` of `value`, or `value` if the slot has none.

    0 and 1; ever smaller right shifts down to value // 2; low bits; all but the highest
    bit; all of 2 to `SMALL`; remainders; a bit or byte less; less a power of two; see
    `bit_lower`. What is no more than `SMALL` stands there alone.

    No slot goes on in small steps: at most about as many successes in a row as the
    number has bits.
    """
    if slot < SHIFTS_AT or (slot >= SMALL_AT and slot < MODULI_AT):
        small = wrap256(slot)
        if slot >= SMALL_AT:
            small = wrap256(slot - SMALL_AT + 2)
        if small < value:
            return small
        return value
    if value <= SMALL:
        return value
    found = larger_at(value, slot)
    if found <= SMALL:
        return value
    return found


def larger_at(value: u256, slot: u64) -> u256:
    """Return candidate `slot` of `near_at` that is not one of the small numbers."""
    bits = bit_length(value)
    shifts = bit_length(wrap256(bits)) - 1
    if slot < WIDTHS_AT:
        if slot - SHIFTS_AT < shifts:
            return step_at(value, slot - SHIFTS_AT + 1)
        return value
    if slot < TOP_AT:
        return low_part(value, WIDTHS[slot - WIDTHS_AT])
    if slot == TOP_AT:
        return low_part(value, bits - 1)
    if slot < BITS_AT:
        return value % MODULI[slot - MODULI_AT]
    if slot < POWERS_AT:
        return with_less(value, slot - BITS_AT)
    if slot < LESS_AT:
        power = wrap256(1) << (POWERS_AT + POWERS - slot)
        if power < value and value & power == 0:
            return value - power
        return value
    return bit_lower(value, slot - LESS_AT)


def low_part(value: u256, width: u64) -> u256:
    """Return the lowest `width` bits, below 256, of a number."""
    return value & ((wrap256(1) << width) - 1)


def set_bit(value: u256, number: u64) -> u256:
    """Return bit `number` of those set in a number, the highest first; 0 for none."""
    rest = value
    for _ in range(number):
        if rest == 0:
            return rest
        rest = low_part(rest, bit_length(rest) - 1)
    if rest == 0:
        return rest
    return wrap256(1) << (bit_length(rest) - 1)


def bit_lower(value: u256, number: u64) -> u256:
    """Return the largest number that agrees above a set bit and does not have that.

    The last set bit gives value - 1. Going on with the same number after a success, and
    with the next one after a failure, finds the smallest number that a monotonic
    condition allows. Returns `value` if no more than `number` bits are set.
    """
    bit = set_bit(value, number)
    if bit == 0:
        return value
    return (value ^ bit) | (bit - 1)


def with_less(value: u256, number: u64) -> u256:
    """Return `value` without bit `number` of those set below the highest one.

    Of a number with many bits byte `number` goes instead, the first one first.
    """
    if bits_set(value) > BITS:
        place = 248 - number * 8
        return value ^ (((value >> place) & 255) << place)
    return value ^ set_bit(value, number + 1)


def bits_set(value: u256) -> u64:
    """Return how many bits of a number are set."""
    count = 0
    rest = value
    while rest != 0:
        rest = rest & (rest - 1)
        count = count + 1
    return count


def common_divisor(left: u256, right: u256) -> u256:
    """Return the greatest common divisor of two numbers; 0 for two zeros."""
    one = left
    other = right
    while other != 0:
        rest = one % other
        one = other
        other = rest
    return one


def is_near(one: u256, other: u256) -> u64:
    """Return 1 if the larger of two numbers is less than twice the smaller, else 0."""
    low = least256(one, other)
    high = one ^ other ^ low
    if high - low < low:
        return 1
    return 0


def least256(left: u256, right: u256) -> u256:
    """Return the smaller of two words."""
    if left < right:
        return left
    return right


LOWER_SLOTS = 4 + 256
"""So many slots `lower_at` has."""


def lower_at(value: u256, slot: u64) -> u256:
    """Return 0, 1, 2 or 3, or a number by `bit_lower`; `value` if it is not less."""
    if slot < 4:
        return least256(value, wrap256(slot))
    return bit_lower(value, slot - 4)
