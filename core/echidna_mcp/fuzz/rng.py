"""Random numbers that are derived, never carried.

A stream belongs to (seed, round, worker, purpose), so no result can depend on who ran
first (design: a campaign is a pure function). The generator is SplitMix64 with an
increment of its own per stream: two words of state, one multiplication chain a draw,
and streams that differ in more than their starting point.

Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014.
"""

from __future__ import annotations

from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import MASK64, Words, u64, u256, wrap64, wrap256

RNG_STATE = 0
RNG_STEP = 1
RNG_WORDS = 2
"""Length of the `Words` buffer that holds one stream."""

PURPOSE_FUZZ = 1
PURPOSE_INJECT = 2
PURPOSE_SAMPLE = 3

GOLDEN = 0x9E3779B97F4A7C15
SILVER = 0xD1B54A32D192ED03
ALTERNATING = 0xAAAAAAAAAAAAAAAA


def mix64(value: u64) -> u64:
    """Return a bijective scrambling of `value` (Stafford's variant 13)."""
    mixed = wrap64((value ^ (value >> 30)) * 0xBF58476D1CE4E5B9)
    mixed = wrap64((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB)
    return mixed ^ (mixed >> 31)


def absorb(rng: Words, word: u64) -> None:
    """Mix `word` into both lanes of a stream that is being derived."""
    rng[RNG_STATE] = wrap64(mix64(rng[RNG_STATE] ^ word) + GOLDEN)
    rng[RNG_STEP] = wrap64(mix64(rng[RNG_STEP] ^ mix64(word ^ SILVER)) + SILVER)


def derive(rng: Words, seed: u256, turn: u64, worker: u64, purpose: u64) -> None:
    """Start the stream of (seed, round, worker, purpose) in `rng`.

    Args:
        rng: `RNG_WORDS` words; what they held does not matter.
        seed: the campaign's seed, all 256 bits of which count.
        turn: the round number.
        worker: the logical worker.
        purpose: a `PURPOSE_*` constant.
    """
    rng[RNG_STATE] = GOLDEN
    rng[RNG_STEP] = SILVER
    absorb(rng, wrap64(seed))
    absorb(rng, wrap64(seed >> 64))
    absorb(rng, wrap64(seed >> 128))
    absorb(rng, wrap64(seed >> 192))
    absorb(rng, turn)
    absorb(rng, worker)
    absorb(rng, purpose)
    rng[RNG_STEP] = strong_step(rng[RNG_STEP])


def strong_step(value: u64) -> u64:
    """Return an odd increment whose bits change often enough to mix well."""
    step = value | 1
    changes = step ^ (step >> 1)
    count = 0
    while changes != 0:
        count = count + (changes & 1)
        changes = changes >> 1
    if count < 24:
        return step ^ ALTERNATING
    return step


@inline
def next64(rng: Words) -> u64:
    """Return 64 random bits."""
    state = wrap64(rng[RNG_STATE] + rng[RNG_STEP])
    rng[RNG_STATE] = state
    mixed = wrap64((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9)
    mixed = wrap64((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB)
    return mixed ^ (mixed >> 31)


@inline
def below(rng: Words, bound: u64) -> u64:
    """Return a uniform number below `bound`; 0 if `bound` is 0.

    Multiply and shift, drawing again in the few cases that would be biased (Lemire).
    """
    product = wrap256(next64(rng)) * wrap256(bound)
    low = wrap64(product)
    if low < bound and low < wrap64(0 - bound) % bound:
        return below_again(rng, bound)
    return wrap64(product >> 64)


@cold
def below_again(rng: Words, bound: u64) -> u64:
    """Return what `below` does after a draw that would be biased."""
    biased = wrap64(0 - bound) % bound
    product = wrap256(0)
    low = wrap64(0)
    while low < biased:
        product = wrap256(next64(rng)) * wrap256(bound)
        low = wrap64(product)
    return wrap64(product >> 64)


def pick_later(rng: Words, count: u64) -> u64:
    """Return an index below `count`; index i has weight 2i + 1.

    The larger of two uniform numbers has just that distribution.
    """
    first = below(rng, count)
    second = below(rng, count)
    if first < second:
        return second
    return first


def next256(rng: Words) -> u256:
    """Return 256 random bits."""
    high = (wrap256(next64(rng)) << 192) | (wrap256(next64(rng)) << 128)
    return high | (wrap256(next64(rng)) << 64) | wrap256(next64(rng))


def random_bits(rng: Words, bits: u64) -> u256:
    """Return a uniform number of `bits` bits, 1 to 256."""
    if bits <= 64:
        return wrap256(next64(rng) >> (64 - bits))
    return next256(rng) >> (256 - bits)


def at_most(rng: Words, maximum: u256) -> u256:
    """Return a uniform number from 0 to `maximum` inclusive."""
    if maximum < MASK64:
        return wrap256(below(rng, wrap64(maximum) + 1))
    mask = maximum | (maximum >> 1)
    shift = 2
    while shift < 256:
        mask = mask | (mask >> shift)
        shift = shift * 2
    value = next256(rng) & mask
    while value > maximum:
        value = next256(rng) & mask
    return value
