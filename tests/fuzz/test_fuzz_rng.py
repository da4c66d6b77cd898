from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.fuzz.ladders.chunks import bit_length
from echidna_mcp.fuzz.rng import (
    PURPOSE_FUZZ,
    PURPOSE_INJECT,
    PURPOSE_SAMPLE,
    RNG_STATE,
    RNG_STEP,
    RNG_WORDS,
    at_most,
    below,
    derive,
    mix64,
    next64,
    next256,
    random_bits,
    strong_step,
)
from echidna_mcp.kernel.language.memory import Words, words

FIRST = [18000656400885328555, 17980443426578294073, 8789502377246670433]
SECOND = [
    9156366908293535102,
    850,
    85703643336466014486739273566150133745254071121900862319945825880588395616277,
    447799922177185215783100038796,
]

u64s = st.integers(0, 2**64 - 1)


def derived(seed: int, turn: int, worker: int, purpose: int) -> Words:
    rng = words([0] * RNG_WORDS)
    derive(rng, seed, turn, worker, purpose)
    return rng


def test_mixing_is_that_of_splitmix64():
    # Reference: first outputs of SplitMix64 (Vigna's splitmix64.c) from state 1234567.
    rng = words([1234567, 0x9E3779B97F4A7C15])
    assert [next64(rng) for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_streams_are_pinned():
    """Stored campaigns replay only as long as these numbers stay."""
    rng = derived(0, 0, 0, PURPOSE_FUZZ)
    first = [next64(rng) for _ in range(3)]
    other = derived(2**256 - 1, 17, 3, PURPOSE_INJECT)
    second = [next64(other), below(other, 1000), next256(other), at_most(other, 10**30)]
    assert first == FIRST
    assert second == SECOND


def test_every_part_of_a_derivation_matters():
    bases = [(1 << shift, 0, 0, 1) for shift in range(0, 256, 17)]
    turns = [(0, turn, 0, 1) for turn in range(50)]
    workers = [(0, 0, worker, 1) for worker in range(1, 50)]
    swapped = [(5, 1, 2, 1), (5, 2, 1, 1)]
    purposes = [(0, 0, 0, p) for p in (PURPOSE_INJECT, PURPOSE_SAMPLE)]
    keys = [*bases, *turns, *workers, *swapped, *purposes]
    streams = {tuple(derived(*key)) for key in keys}
    assert len(streams) == len(keys)
    firsts = {next64(derived(*key)) for key in keys}
    assert len(firsts) == len(keys)


def test_a_derived_stream_does_not_depend_on_the_buffer():
    rng = words([123, 456])
    derive(rng, 9, 8, 7, 6)
    assert rng == derived(9, 8, 7, 6)


@settings(deadline=None)
@given(u64s)
def test_steps_are_odd_and_change_often(value: int):
    step = strong_step(value)
    assert step & 1
    assert (step ^ (step >> 1)).bit_count() >= 24


@settings(deadline=None)
@given(u64s)
def test_steps_of_streams_are_strong(seed: int):
    rng = derived(seed, 0, 0, 1)
    assert strong_step(rng[RNG_STEP]) == rng[RNG_STEP]
    assert rng[RNG_STATE] < 2**64


@settings(deadline=None)
@given(u64s, u64s)
def test_mixing_keeps_numbers_apart(one: int, two: int):
    assert (mix64(one) == mix64(two)) == (one == two)


@settings(deadline=None)
@given(st.integers(0, 2**64 - 1), st.integers(1, 2**64 - 1))
def test_below_stays_below(seed: int, bound: int):
    rng = derived(seed, 0, 0, 1)
    assert all(0 <= below(rng, bound) < bound for _ in range(5))


def test_below_nothing_is_zero():
    assert below(derived(1, 0, 0, 1), 0) == 0


@pytest.mark.parametrize(
    ("bound", "limit"),
    # 99.9 % quantiles of chi-square with bound - 1 degrees of freedom.
    [(2, 10.83), (3, 13.82), (10, 27.88), (16, 37.70), (100, 148.23)],
)
@pytest.mark.parametrize("seed", [0, 1, 2**200 + 5])
def test_below_is_uniform(bound: int, limit: float, seed: int):
    rng = derived(seed, 3, 1, PURPOSE_SAMPLE)
    draws = 20_000
    seen = Counter(below(rng, bound) for _ in range(draws))
    expected = draws / bound
    chi = sum((seen[n] - expected) ** 2 / expected for n in range(bound))
    assert chi < limit


def test_below_is_unbiased_where_multiplying_alone_is_not():
    # Of 3 * 2^62, plain multiply-and-shift would give a third twice as often.
    bound = 3 << 62
    rng = derived(7, 0, 0, 1)
    thirds = Counter(below(rng, bound) % 3 for _ in range(6000))
    assert all(1850 < thirds[n] < 2150 for n in range(3))


def test_neighbouring_streams_are_independent():
    bits = 0
    for one, two in itertools.pairwise(range(400)):
        bits += (
            next64(derived(0, one, 0, 1)) ^ next64(derived(0, two, 0, 1))
        ).bit_count()
    assert 31 < bits / 399 < 33


def test_every_bit_of_256_is_used():
    rng = derived(3, 0, 0, 1)
    values = [next256(rng) for _ in range(64)]
    assert all(any(v >> bit & 1 for v in values) for bit in range(256))
    assert all(any(not v >> bit & 1 for v in values) for bit in range(256))


@settings(deadline=None)
@given(u64s, st.integers(1, 256))
def test_random_bits_fit(seed: int, bits: int):
    rng = derived(seed, 0, 0, 1)
    assert all(random_bits(rng, bits) >> bits == 0 for _ in range(3))


@settings(deadline=None)
@given(u64s, st.integers(0, 2**256 - 1))
def test_at_most_stays_within(seed: int, maximum: int):
    rng = derived(seed, 0, 0, 1)
    assert all(0 <= at_most(rng, maximum) <= maximum for _ in range(3))


@pytest.mark.parametrize("maximum", [2**64 - 2, 2**64 - 1, 2**64, 2**255 + 1])
def test_at_most_is_uniform_over_halves_and_quarters(maximum: int):
    rng = derived(maximum, 0, 0, 1)
    quarters = Counter(at_most(rng, maximum) * 4 // (maximum + 1) for _ in range(2000))
    assert all(410 < quarters[n] < 590 for n in range(4))


@settings(deadline=None)
@given(st.integers(0, 2**256 - 1))
def test_bit_length_is_that_of_python(value: int):
    assert bit_length(value) == value.bit_length()
