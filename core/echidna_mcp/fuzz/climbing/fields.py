"""Fields: several numbers that are packed into one.

Orders, vouchers, settings come as one word, and what is compared is a part of it. Where
that part stands shows if it is long enough to be no chance: then the other operand
takes its place, and if that is no longer all around it stays. Else the word is changed
by each 256-fold power of two: one of them lies in the field, whatever depends on those
below.
"""

from __future__ import annotations

from echidna_mcp.fuzz.climbing.places import FIXED, NUMBER, PLACE_BITS, PLACE_SORT
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.integers import low_bits
from echidna_mcp.fuzz.ladders.chunks import bit_length
from echidna_mcp.kernel.language.memory import u64, u256, wrap64, wrap256

PACKED_BITS = 64
"""Numbers of more bits may be several."""
FIELD_STEP = 8
"""Fields that are found by what they hold begin at a multiple of so many bits."""
LEAST_BITS = 8
"""So long is the least number that is not found in a word by chance."""
FIELD_POWERS = 30
"""Powers of two, from 2^16 to 2^248, by which a word is changed."""
NOWHERE = 256


def is_packed(c: Climb) -> u64:
    """Return 1 if the number at the present place may be several, else 0."""
    sort = c.places[c.row + PLACE_SORT]
    if c.fields == 0 or c.places[c.row + PLACE_BITS] <= PACKED_BITS:
        return 0
    if sort == NUMBER or sort == FIXED:
        return 1
    return 0


def field_power(step: u64) -> u64:
    """Return by which power of two a word is changed, by its number from 0 on."""
    return (step + 2) * FIELD_STEP


def field_at(number: u256, found: u256) -> u64:
    """Return at which bit a part of a number begins that is `found`; `NOWHERE` if none.

    Of several it is the lowest. Bits above it are not looked at.
    """
    size = bit_length(found)
    if size <= LEAST_BITS or found > number:
        return wrap64(NOWHERE)
    mask = low_bits(size)
    for step in range(NOWHERE // FIELD_STEP):
        if (number >> (step * FIELD_STEP)) & mask == found:
            return step * FIELD_STEP
    return wrap64(NOWHERE)


def with_field(number: u256, found: u256, answer: u256) -> u256:
    """Return a number with `answer` where `found` stands.

    It is the number itself if that is nowhere, or if there is no room for the answer.
    """
    at = field_at(number, found)
    if at == NOWHERE or at + bit_length(answer) > NOWHERE:
        return number
    return number ^ wrap256((found ^ answer) << at)
