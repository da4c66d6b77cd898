"""Values that take one word, fresh and changed: numbers, addresses, `bytesN`, ..."""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BOOL,
    KIND_BYTES_FIXED,
    KIND_FUNCTION,
    KIND_INT,
    KIND_UINT,
    NODE_ARG,
    NODE_KIND,
    NODE_WORDS,
)
from echidna_mcp.fuzz.integers import (
    extreme_integer,
    high_bytes,
    least,
    magnitude,
    synthesize_integer,
    wrap_integer,
)
from echidna_mcp.fuzz.layout import FUNCTION_SELECTOR, FUNCTION_WORDS
from echidna_mcp.fuzz.rng import at_most, below, next64, next256, random_bits
from echidna_mcp.fuzz.tables import (
    FIXTURE_COUNT,
    FIXTURE_START,
    FIXTURE_WORDS,
    FuzzTables,
)
from echidna_mcp.kernel.language.marks import inline
from echidna_mcp.kernel.language.memory import Words, load256, u64, u256, wrap256

MASK160 = (1 << 160) - 1
OWN_PARTS = 8
MOST_OWN = 4
"""Of so many parts of the constants of a fresh call its function has at most so many,
and no more than it has constants: one number alone shall not be half of all."""
DICTIONARY_TRIES = 4
"""Words that are looked at before a number is made up instead."""


@inline
def uses_dictionary(tables: FuzzTables, rng: Words) -> u64:
    """Return 1 if the next value shall come from the dictionary, else 0."""
    if tables.dictionary_count != 0 and below(rng, 1000) < tables.dict_freq:
        return 1
    return 0


@inline
def dictionary_word(tables: FuzzTables, rng: Words) -> u256:
    """Return a word of the dictionary, which must not be empty.

    For a function that has constants of its own it is each of these one time in eight,
    if they are no more than four, and one of them half of the time if they are.
    """
    own = tables.own_bounds[tables.calling]
    count = tables.own_bounds[tables.calling + 1] - own
    if count != 0 and below(rng, OWN_PARTS) < least(count, MOST_OWN):
        return load256(tables.own, (own + below(rng, count)) * 32)
    return load256(tables.dictionary, below(rng, tables.dictionary_count) * 32)


@inline
def pick_sender(tables: FuzzTables, rng: Words) -> u256:
    """Return a uniform sender."""
    return load256(tables.senders, below(rng, tables.sender_count) * 32)


def draw_sender(tables: FuzzTables, rng: Words) -> u256:
    """Return the sender of a call.

    Where anybody may send, in 16: 8 known senders, 3 known addresses, 3 constants, 2
    random addresses; one that is barred is replaced by a known sender.
    """
    known = pick_sender(tables, rng)
    if tables.any_sender == 0:
        return known
    choice = below(rng, 16)
    if choice < 8:
        return known
    other = random_bits(rng, 160)
    if choice < 11 and tables.address_count != 0:
        other = load256(tables.addresses, below(rng, tables.address_count) * 32)
    elif choice < 14 and tables.dictionary_count != 0:
        other = dictionary_word(tables, rng) & MASK160
    for index in range(tables.barred_count):
        if load256(tables.barred, index * 32) == other:
            return known
    return other


def generate_integer(tables: FuzzTables, rng: Words, kind: u64, bits: u64) -> u256:
    """Return the word of a `uintN` or `intN`."""
    if uses_dictionary(tables, rng) != 0:
        for _ in range(DICTIONARY_TRIES):
            word = dictionary_word(tables, rng)
            if wrap_integer(kind, bits, word) == word:
                return word
    return synthesize_integer(rng, kind, bits)


def generate_address(tables: FuzzTables, rng: Words) -> u256:
    """Return an address: in 16, 13 known ones, a sender, a constant, a random one."""
    choice = below(rng, 16)
    if choice == 0:
        return random_bits(rng, 160)
    if choice == 1 and tables.dictionary_count != 0:
        word = dictionary_word(tables, rng)
        if word >> 160 == 0:
            return word
    if choice == 2 or tables.address_count == 0:
        return pick_sender(tables, rng)
    return load256(tables.addresses, below(rng, tables.address_count) * 32)


def fixed_bytes_of(word: u256, size: u64) -> u256:
    """Return a dictionary word as `bytesN`.

    Compilers store constants of `bytesN` left-aligned or as plain numbers: a word that
    has only leading bytes stays, a small number moves to the left, the rest is cut.
    """
    kept = word & high_bytes(size)
    if kept == word or size == 32:
        return kept
    if word >> (size * 8) == 0:
        return word << (256 - size * 8)
    return kept


def generate_fixed_bytes(tables: FuzzTables, rng: Words, size: u64) -> u256:
    """Return the word of a `bytesN`."""
    if uses_dictionary(tables, rng) != 0:
        return fixed_bytes_of(dictionary_word(tables, rng), size)
    draw = next64(rng)
    if draw & 7 == 0:
        small = wrap256((draw >> 8) & 255)
        return small << (256 - size * 8)
    if draw & 7 == 1 and tables.literal_count != 0:
        start = tables.literal_bounds[(draw >> 8) % tables.literal_count]
        return load256(tables.literals, start + 32) & high_bytes(size)
    return next256(rng) & high_bytes(size)


def generate_function(tables: FuzzTables, rng: Words) -> u256:
    """Return the word of a `function`: an address and a selector of the target."""
    entry = below(rng, tables.function_count) * FUNCTION_WORDS
    selector = wrap256(tables.functions[entry + FUNCTION_SELECTOR])
    return (generate_address(tables, rng) << 96) | (selector << 64)


def generate_leaf(tables: FuzzTables, rng: Words, node: u64) -> u256:
    """Return the word of any type that takes one word.

    Half of the values of a parameter that has fixtures are such.
    """
    if tables.fixture_count != 0:
        place = node // NODE_WORDS * FIXTURE_WORDS
        count = tables.fixture_places[place + FIXTURE_COUNT]
        if count != 0 and next64(rng) & 1 == 0:
            chosen = tables.fixture_places[place + FIXTURE_START] + below(rng, count)
            return load256(tables.fixtures, chosen * 32)
    kind = tables.types[node + NODE_KIND]
    if kind == KIND_UINT or kind == KIND_INT:
        return generate_integer(tables, rng, kind, tables.types[node + NODE_ARG])
    if kind == KIND_ADDRESS:
        return generate_address(tables, rng)
    if kind == KIND_BOOL:
        return wrap256(next64(rng) & 1)
    if kind == KIND_FUNCTION:
        return generate_function(tables, rng)
    return generate_fixed_bytes(tables, rng, tables.types[node + NODE_ARG])


def mutate_integer(
    tables: FuzzTables, rng: Words, kind: u64, bits: u64, value: u256
) -> u256:
    """Return a changed `uintN` or `intN`.

    In 16: 4 plus or minus up to 16, 3 plus or minus up to itself, 2 a flipped bit, 2 a
    constant, 1 negated, 1 doubled, 1 halved, 2 an extreme.
    """
    draw = next64(rng)
    choice = draw & 15
    detail = (draw >> 8) & 0xFFFFFFFF
    changed = value
    if choice < 7:
        delta = wrap256((detail & 15) + 1)
        if choice > 3:
            delta = at_most(rng, magnitude(kind, value))
        if draw >> 63 != 0:
            delta = wrap256(0 - delta)
        changed = wrap256(value + delta)
    elif choice < 9:
        changed = value ^ (wrap256(1) << (detail % bits))
    elif choice < 11 and tables.dictionary_count != 0:
        changed = dictionary_word(tables, rng)
    elif choice == 11:
        changed = wrap256(0 - value)
    elif choice == 12:
        changed = wrap256(value << 1)
    elif choice == 13:
        changed = value >> 1
    else:
        changed = extreme_integer(kind, bits, detail & 7)
    return wrap_integer(kind, bits, changed)


def mutate_fixed_bytes(tables: FuzzTables, rng: Words, node: u64, value: u256) -> u256:
    """Return a changed `bytesN`: a random byte, a flipped bit, two swapped bytes."""
    size = tables.types[node + NODE_ARG]
    draw = next64(rng)
    choice = draw & 7
    detail = (draw >> 8) & 0xFFFFFFFF
    shift = 256 - 8 * (1 + detail % size)
    if choice < 3:
        return value ^ (wrap256(detail >> 24) << shift)
    if choice < 5:
        return value ^ (wrap256(1) << (shift + ((detail >> 24) & 7)))
    if choice == 5:
        other = 256 - 8 * (1 + (detail >> 8) % size)
        difference = ((value >> shift) ^ (value >> other)) & 255
        if shift == other:
            return value
        return value ^ (difference << shift) ^ (difference << other)
    return generate_leaf(tables, rng, node)


def mutate_leaf(tables: FuzzTables, rng: Words, node: u64, value: u256) -> u256:
    """Return a changed word of any type that takes one word."""
    kind = tables.types[node + NODE_KIND]
    if kind == KIND_UINT or kind == KIND_INT:
        bits = tables.types[node + NODE_ARG]
        return mutate_integer(tables, rng, kind, bits, value)
    if kind == KIND_BOOL:
        return value ^ 1
    if kind == KIND_BYTES_FIXED:
        return mutate_fixed_bytes(tables, rng, node, value)
    return generate_leaf(tables, rng, node)
