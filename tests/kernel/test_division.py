"""Wide division equals Python's, in every branch of the algorithm and every mode."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from echidna_mcp.kernel.language import division
from echidna_mcp.kernel.language.memory import MASK64, words
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.plan import Plan

FUNCTIONS: tuple[Any, ...] = (
    division.divide256,
    division.remainder256,
    division.divide512,
    division.remainder512,
    division.reciprocal,
    division.reciprocal_of_two,
    division.digit_of_three,
    division.shift_left,
    division.shift_right,
)


class Functions:
    """The functions of the module in one mode."""

    def __init__(self, library: Library) -> None:
        for function in FUNCTIONS:
            setattr(self, function.__name__, library.function(function))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


@pytest.fixture(scope="module", params=["plain", "compiled", "checked"])
def run(request):
    return Functions(Library.load(Plan(functions=FUNCTIONS), mode=request.param))


def near_powers(bits: int) -> st.SearchStrategy[int]:
    """Numbers around powers of two and limb boundaries, and sums of such."""
    top = 1 << bits
    power = st.integers(0, bits).map(lambda exponent: 1 << exponent)
    near = st.builds(lambda p, d: (p + d) % top, power, st.integers(-3, 3))
    limbs = st.lists(
        st.sampled_from([0, 1, 2, 1 << 63, MASK64, MASK64 - 1, (1 << 63) - 1])
        | st.integers(0, MASK64),
        max_size=bits // 64,
    ).map(lambda ws: sum(w << 64 * i for i, w in enumerate(ws)))
    return st.one_of(
        near,
        limbs,
        st.builds(lambda a, b: (a + b) % top, near, near),
        st.integers(0, bits).flatmap(lambda n: st.integers(0, (1 << n) - 1)),
    )


def near_multiples(bits: int) -> st.SearchStrategy[tuple[int, int]]:
    """Pairs whose quotient digits are estimated too large: multiples of the divisor
    without its low words, and a little beside exact multiples."""
    divisor = near_powers(256).map(lambda n: n or 1)
    factor = near_powers(bits - 64)
    keep = st.integers(0, 255)
    slack = st.integers(-2, 2)

    def pair(d: int, f: int, k: int, s: int) -> tuple[int, int]:
        return max(0, f * (d >> k << k) + s) % (1 << bits), d

    return st.builds(pair, divisor, factor, keep, slack)


ADD_BACK = (((1 << 63) - 1) << 191, (1 << 191) | MASK64)
"""The estimate from the top two words of the divisor is one too large."""


@settings(max_examples=500, deadline=None)
@given(
    st.tuples(near_powers(256), near_powers(256).map(lambda n: n or 1))
    | near_multiples(256)
)
@example(ADD_BACK)
@example(((1 << 256) - 1, (1 << 128) + 1))
@example(((1 << 256) - 1, 1))
@example((((1 << 255) | 5) - 1, (1 << 255) | 5))
def test_256_bit_division_equals_python(run: Functions, pair: tuple[int, int]) -> None:
    left, right = pair
    assert run.divide256(left, right) == left // right
    assert run.remainder256(left, right) == left % right


@settings(max_examples=500, deadline=None)
@given(
    st.tuples(near_powers(512), near_powers(256).map(lambda n: n or 1))
    | near_multiples(512)
)
@example(((ADD_BACK[0] << 256) + MASK64, (ADD_BACK[1] << 64) + 7))
@example(((1 << 512) - 1, (1 << 256) - 1))
@example(((1 << 512) - 1, 1))
def test_512_bit_division_equals_python(run: Functions, pair: tuple[int, int]) -> None:
    left, right = pair
    assert run.divide512(left, right) == left // right
    assert run.remainder512(left, right) == left % right


@settings(max_examples=300, deadline=None)
@given(st.integers(1 << 63, MASK64) | st.integers(0, 63).map(lambda n: (1 << 63) + n))
@example(1 << 63)
@example(MASK64)
def test_reciprocal_of_a_word_is_exact(run: Functions, divisor: int) -> None:
    assert run.reciprocal(divisor) == ((1 << 128) - 1) // divisor - (1 << 64)


@settings(max_examples=300, deadline=None)
@given(
    st.integers(1 << 63, MASK64) | st.just(1 << 63) | st.just(MASK64),
    st.integers(0, MASK64) | st.sampled_from([0, 1, MASK64 - 1, MASK64]),
)
def test_reciprocal_of_two_words_is_exact(run: Functions, high: int, low: int) -> None:
    divisor = high << 64 | low
    exact = ((1 << 192) - 1) // divisor - (1 << 64)
    assert run.reciprocal_of_two(high, low) == exact


@settings(max_examples=300, deadline=None)
@given(near_powers(128), near_powers(192))
def test_digit_of_three_is_the_exact_quotient(
    run: Functions, top: int, number: int
) -> None:
    divisor = top | 1 << 127
    number %= divisor << 64
    digit = run.digit_of_three(
        number >> 128,
        number >> 64 & MASK64,
        number & MASK64,
        divisor,
        run.reciprocal_of_two(divisor >> 64, divisor & MASK64),
    )
    assert digit == min(number // divisor, MASK64)


def test_a_digit_that_is_too_large_is_taken_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    taken_back = []
    add_back = division.add_back

    def count(number: object, at: int, divisor: object, size: int) -> None:
        taken_back.append(at)
        add_back(number, at, divisor, size)  # type: ignore[arg-type]

    monkeypatch.setattr(division, "add_back", count)
    left, right = ADD_BACK
    assert division.divide256(left, right) == left // right
    assert division.remainder256(left, right) == left % right
    assert len(taken_back) == 2


def test_operands_of_all_sizes_are_divided(run: Functions) -> None:
    for left_bits in range(1, 513, 17):
        for right_bits in range(1, 257, 13):
            left = (0xA5C3 << 512 | (1 << 512) - 12345) % (1 << left_bits)
            right = ((1 << 256) // 3) % (1 << right_bits) | 1 << right_bits - 1
            assert run.divide512(left, right) == left // right
            assert run.remainder512(left, right) == left % right


def test_shifting_words_keeps_every_bit(run: Functions) -> None:
    number = words([0x8000000000000001, 0xC000000000000003, 0])
    for amount in range(64):
        before = number[0] | number[1] << 64
        run.shift_left(number, 2, amount)
        shifted = number[0] | number[1] << 64 | number[2] << 128
        assert shifted == before << amount
        run.shift_right(number, 3, amount)
        assert (number[0], number[1], number[2]) == (
            before & MASK64,
            before >> 64,
            0,
        )


def test_random_numbers_of_random_sizes_are_divided() -> None:
    run = Functions(Library.load(Plan(functions=FUNCTIONS)))
    source = random.Random(1)
    for _ in range(20_000):
        left = source.getrandbits(source.randrange(1, 513))
        right = source.getrandbits(source.randrange(1, 257)) or 1
        assert run.divide512(left, right) == left // right
        assert run.remainder512(left, right) == left % right
        left >>= 256
        assert run.divide256(left, right) == left // right
        assert run.remainder256(left, right) == left % right
