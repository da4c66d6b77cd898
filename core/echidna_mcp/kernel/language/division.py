"""Division of wide integers.

LLVM would divide them bit by bit, so the compiler lowers `//` and `%` of more than 64
bits to calls of these functions. They divide nothing wider than 64 bits themselves: a
digit of 64 bits comes from a multiplication by a reciprocal of the divisor's top digits
(Möller and Granlund, "Improved division by invariant integers", 2011; the numbers of
the algorithms below are theirs), and digits are put together as in Knuth, "The Art of
Computer Programming", volume 2, algorithm 4.3.1 D. Words are little-endian.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import (
    MASK64,
    Words,
    leading_zeros64,
    leading_zeros256,
    local_words,
    u64,
    u128,
    u256,
    u512,
    unroll,
    wrap64,
    wrap128,
    wrap256,
    wrap512,
)


def divide256(left: u256, right: u256) -> u256:
    """Return `left` divided by `right`, which is not 0, rounded down."""
    if left < right:
        return 0
    if left >> 64 == 0:
        return wrap256(wrap64(left) // wrap64(right))
    if right >> 64 == 0:
        return wrap256(divide_by_word(left, wrap64(right)))
    number = local_words(5)
    quotient = local_words(4)
    split256(number, 0, left)
    divide_long(number, words_of(left), right, quotient)
    return join256(quotient, 0)


def remainder256(left: u256, right: u256) -> u256:
    """Return `left` modulo `right`, which is not 0."""
    if left < right:
        return left
    if left >> 64 == 0:
        return wrap256(wrap64(left) % wrap64(right))
    if right >> 64 == 0:
        return wrap256(divide_by_word(left, wrap64(right)) >> 256)
    number = local_words(5)
    quotient = local_words(4)
    split256(number, 0, left)
    divide_long(number, words_of(left), right, quotient)
    return join256(number, 0)


def divide512(left: u512, right: u256) -> u512:
    """Return `left` divided by `right`, which is not 0, rounded down."""
    if left >> 256 == 0:
        return wrap512(divide256(wrap256(left), right))
    number = local_words(9)
    quotient = local_words(8)
    split256(number, 0, wrap256(left))
    split256(number, 4, wrap256(left >> 256))
    divide_long(number, 4 + words_of(wrap256(left >> 256)), right, quotient)
    return (wrap512(join256(quotient, 4)) << 256) | wrap512(join256(quotient, 0))


def remainder512(left: u512, right: u256) -> u256:
    """Return `left` modulo `right`, which is not 0."""
    if left >> 256 == 0:
        return remainder256(wrap256(left), right)
    number = local_words(9)
    quotient = local_words(8)
    split256(number, 0, wrap256(left))
    split256(number, 4, wrap256(left >> 256))
    divide_long(number, 4 + words_of(wrap256(left >> 256)), right, quotient)
    return join256(number, 0)


# --------------------------------------------------------------------------- digits


def reciprocal(divisor: u64) -> u64:
    """Return (2^128 - 1) // `divisor` - 2^64; bit 63 of `divisor` is set.

    Algorithm 2: an estimate of 11 bits and three Newton steps.
    """
    odd = divisor & 1
    top = (divisor >> 24) + 1
    half = (divisor >> 1) + odd
    first = 0x7FD00 // (divisor >> 55)
    second = (first << 11) - ((first * first * top) >> 40) - 1
    third = (second << 13) + ((second * ((1 << 60) - second * top)) >> 47)
    error = wrap64((third >> 1) * odd - third * half)
    correction = wrap64((wrap128(third) * wrap128(error)) >> 65)
    fourth = wrap64((third << 31) + correction)
    wide = wrap128(divisor)
    excess = wrap64((wrap128(fourth) * wide + wide) >> 64)
    return wrap64(fourth - excess - divisor)


def reciprocal_of_two(high: u64, low: u64) -> u64:
    """Return (2^192 - 1) // (`high`, `low`) - 2^64; bit 63 of `high` is set.

    Algorithm 6.
    """
    inverse = reciprocal(high)
    product = wrap64(high * inverse + low)
    if product < low:
        inverse = inverse - 1
        if product >= high:
            inverse = inverse - 1
            product = product - high
        product = wrap64(product - high)
    lower = wrap128(inverse) * wrap128(low)
    carry = wrap64(lower >> 64)
    product = wrap64(product + carry)
    if product < carry:
        inverse = inverse - 1
        if product > high or (product == high and wrap64(lower) >= low):
            inverse = inverse - 1
    return inverse


@inline
def divide_two(high: u64, low: u64, divisor: u64, inverse: u64) -> u128:
    """Return the quotient of (`high`, `low`) and, above it, the remainder.

    Algorithm 4. `high` is below `divisor`, whose reciprocal is `inverse`.
    """
    estimate = wrap128(inverse) * wrap128(high) + (wrap128(high) << 64) + wrap128(low)
    digit = wrap64(wrap64(estimate >> 64) + 1)
    remainder = wrap64(low - digit * divisor)
    if remainder > wrap64(estimate):
        digit = wrap64(digit - 1)
        remainder = wrap64(remainder + divisor)
    if remainder >= divisor:
        digit = digit + 1
        remainder = remainder - divisor
    return (wrap128(remainder) << 64) | wrap128(digit)


@inline
def digit_of_three(
    high: u64, middle: u64, low: u64, divisor: u128, inverse: u64
) -> u64:
    """Return the quotient of (`high`, `middle`, `low`), at most 2^64 - 1.

    Algorithm 5. `inverse` belongs to `divisor`.
    """
    upper = (wrap128(high) << 64) | wrap128(middle)
    if upper >= divisor:
        return MASK64
    estimate = wrap128(inverse) * wrap128(high) + upper
    digit = wrap64(estimate >> 64)
    rest = wrap64(middle - digit * wrap64(divisor >> 64))
    remainder = wrap128(
        ((wrap128(rest) << 64) | wrap128(low))
        - wrap128(digit) * wrap128(wrap64(divisor))
        - divisor
    )
    digit = wrap64(digit + 1)
    if wrap64(remainder >> 64) >= wrap64(estimate):
        digit = wrap64(digit - 1)
        remainder = wrap128(remainder + divisor)
    if remainder >= divisor:
        digit = digit + 1
    return digit


# --------------------------------------------------------------------------- numbers


@inline
def divide_four(start: u64, number: u256, divisor: u64, inverse: u64) -> u512:
    """Return the quotient of (`start`, `number`) and, above it, the remainder.

    `start` is below `divisor`, whose reciprocal is `inverse`.
    """
    remainder = start
    quotient = wrap256(0)
    for i in unroll(4):
        digit = wrap64(number >> (192 - 64 * i))
        step = divide_two(remainder, digit, divisor, inverse)
        quotient = (quotient << 64) | wrap256(wrap64(step))
        remainder = wrap64(step >> 64)
    return (wrap512(remainder) << 256) | wrap512(quotient)


def divide_by_word(left: u256, right: u64) -> u512:
    """Return the quotient of `left` and `right`, not 0, and above it the remainder."""
    shift = leading_zeros64(right)
    divisor = right << shift
    inverse = reciprocal(divisor)
    number = wrap256(left << shift)
    if left >> 128 == 0:
        start = wrap64(number >> 128)
        first = divide_two(start, wrap64(number >> 64), divisor, inverse)
        last = divide_two(wrap64(first >> 64), wrap64(number), divisor, inverse)
        digits = (wrap256(wrap64(first)) << 64) | wrap256(wrap64(last))
        return (wrap512(last >> 64 >> shift) << 256) | wrap512(digits)
    overflow = wrap64((left >> 1) >> (255 - shift))
    both = divide_four(overflow, number, divisor, inverse)
    remainder = wrap64(both >> 256) >> shift
    return (wrap512(remainder) << 256) | wrap512(wrap256(both))


def divide_long(number: Words, length: u64, right: u256, quotient: Words) -> None:
    """Divide a number of up to 512 bits by `right`, which is not 0.

    Args:
        number: its words and one more. The remainder, of four words, replaces it.
        length: how many words it has; the rest of `number` is 0.
        right: the divisor.
        quotient: `length` words or more, all 0.
    """
    size = words_of(right)
    shift = leading_zeros256(right) & 63
    divisor = local_words(4)
    split256(divisor, 0, right << shift)
    shift_left(number, length, shift)
    if size == 1:
        divide_words(number, length, divisor[0], quotient)
    else:
        divide_knuth(number, length, divisor, size, quotient)
    shift_right(number, size, shift)


def divide_words(number: Words, length: u64, divisor: u64, quotient: Words) -> None:
    """Divide `length` words and one more, which is below `divisor`.

    Bit 63 of `divisor` is set. The remainder, one word, replaces `number`.
    """
    inverse = reciprocal(divisor)
    remainder = number[length]
    number[length] = 0
    for i in range(length):
        at = length - 1 - i
        step = divide_two(remainder, number[at], divisor, inverse)
        quotient[at] = wrap64(step)
        remainder = wrap64(step >> 64)
        number[at] = 0
    number[0] = remainder


def divide_knuth(
    number: Words, length: u64, divisor: Words, size: u64, quotient: Words
) -> None:
    """Divide `length` words and one more by `size` words, at least 2, at most `length`.

    The highest bit of `divisor` is set and the extra word of `number` is below its
    highest word. The remainder, of `size` words, replaces `number`.
    """
    high = divisor[size - 1]
    low = divisor[size - 2]
    top = (wrap128(high) << 64) | wrap128(low)
    inverse = reciprocal_of_two(high, low)
    for i in range(length - size + 1):
        at = length - size - i
        end = at + size
        digit = digit_of_three(
            number[end], number[end - 1], number[end - 2], top, inverse
        )
        if digit != 0:
            if subtract_product(number, at, divisor, size, digit) != 0:
                digit = digit - 1
                add_back(number, at, divisor, size)
            quotient[at] = digit


@inline
def subtract_product(
    number: Words, at: u64, divisor: Words, size: u64, digit: u64
) -> u64:
    """Subtract `digit` times `divisor` at word `at`; return 1 if it was too much."""
    carry = 0
    for i in range(size):
        product = wrap128(digit) * wrap128(divisor[i]) + wrap128(carry)
        before = number[at + i]
        number[at + i] = wrap64(before - wrap64(product))
        carry = wrap64(product >> 64)
        if before < wrap64(product):
            carry = carry + 1
    before = number[at + size]
    number[at + size] = wrap64(before - carry)
    if before < carry:
        return 1
    return 0


def add_back(number: Words, at: u64, divisor: Words, size: u64) -> None:
    """Add `divisor` at word `at`, modulo 2^64 in the word after its last."""
    carry = wrap128(0)
    for i in range(size):
        total = wrap128(number[at + i]) + wrap128(divisor[i]) + carry
        number[at + i] = wrap64(total)
        carry = total >> 64
    number[at + size] = wrap64(number[at + size] + wrap64(carry))


# ----------------------------------------------------------------------------- words


@inline
def words_of(value: u256) -> u64:
    """Return how many words `value` needs; 0 for 0."""
    return (319 - leading_zeros256(value)) >> 6


@inline
def split256(target: Words, at: u64, value: u256) -> None:
    """Write the four words of `value` from word `at` on."""
    for i in unroll(4):
        target[at + i] = wrap64(value >> (64 * i))


@inline
def join256(source: Words, at: u64) -> u256:
    """Return the number that the four words from word `at` on make."""
    value = wrap256(0)
    for i in unroll(4):
        value = value | (wrap256(source[at + i]) << (64 * i))
    return value


@inline
def shift_left(number: Words, length: u64, amount: u64) -> None:
    """Shift `length` words by `amount` below 64; the next word takes the overflow."""
    carry = 0
    for i in range(length):
        word = number[i]
        number[i] = wrap64(word << amount) | carry
        carry = (word >> 1) >> (63 - amount)
    number[length] = carry


@inline
def shift_right(number: Words, length: u64, amount: u64) -> None:
    """Shift `length` words by `amount` below 64."""
    for i in range(length - 1):
        above = wrap64((number[i + 1] << 1) << (63 - amount))
        number[i] = (number[i] >> amount) | above
    number[length - 1] = number[length - 1] >> amount
