"""Words that calls of a sequence have shown, as arguments of later ones.

Contracts give out ids (hashes of a sender, a number, a time) that must be given back to
them. Such a word keys a mapping, so no comparison tells what it should be, and it is
valid only behind the very calls that made it: no dictionary has it in time.

So a sequence has a *pool*: words of what its calls have returned and logged, and the
addresses of what they have created, in order.
It depends on nothing but the calls that ran, and going back in a sequence cuts it.

A fresh call is built before anything of its sequence runs. Leaves of it are *marked*,
with random numbers; just before the call runs they are *settled*: each gets a word of
the pool that its type can hold, if there is one near the place that its number says. If
there is none, what was generated stays. Numbers get the sum or the difference of two
words now and then: what is left of an amount, or both together. Where the ABI tells the
types of returned words, three leaves in four rather get none of another type. Marks
stand in the sender's word, above the address. They are nowhere but in sequences as they
were built: what has run has none.
"""

from __future__ import annotations

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_ARRAY,
    KIND_BYTES,
    KIND_BYTES_FIXED,
    KIND_INT,
    KIND_TUPLE,
    KIND_UINT,
    NODE_ARG,
    NODE_KIND,
    NODE_NEXT,
    NODE_WORDS,
)
from echidna_mcp.fuzz.integers import high_bytes, least, wrap_integer
from echidna_mcp.fuzz.layout import CALL_HEADER, CALL_SENDER, SENDER_BITS
from echidna_mcp.fuzz.records import SENDER_MASK
from echidna_mcp.fuzz.rng import next64
from echidna_mcp.fuzz.tape import length_at, skip
from echidna_mcp.kernel.language.marks import cold, inline
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    load64,
    load256,
    peek256,
    poke256,
    store256,
    u64,
    u256,
    wrap64,
    wrap256,
)
from echidna_mcp.kernel.language.record import record

MOST_HARVESTED = 1024
"""Words of a sequence."""
MOST_OF_CALL = 8
"""Words of a call."""
MOST_LOOKED_AT = 32
"""Words of return data, and of the data of a log, that are looked at."""
MOST_LOGS = 16
"""Logs of a call that are looked at."""
LEAST_HARVESTED = 1 << 16
"""Smaller numbers come by themselves."""
NEWEST = 16
"""Half of the words are chosen among so many."""
COMPARED = 64
"""No word is twice among so many in a row."""

MARK_BITS = 48
"""Of one mark, 0 for none. Two of them have room above the sender."""
MARK_MASK = (1 << MARK_BITS) - 1
PLACE_MASK = 1023
"""The lowest bits of a mark: which word of the record the leaf is. Above it come three
bits for its kind, six for its bytes, and a random number."""
KIND_SHIFT = 10
SIZE_SHIFT = 13
NUMBER_SHIFT = 19
NUMBER_MASK = (1 << (MARK_BITS - NUMBER_SHIFT)) - 1

LEAST_BITS = 32
LEAST_BYTES = 8
"""The smallest `intN` and `bytesN` that are marked."""
PAIR_SHIFT = 24
"""The five highest bits of a mark's random number say which two words are combined."""
PAIRED = 8
"""Of so many numbers that get a word of the pool, one gets two that are combined."""
TYPED_SHIFT = 20
"""The bits of the random number from here on say whether a leaf asks for its type; for
three values of four it does."""
TYPE_SHIFT = 6
"""A type is its kind, shifted by this, and its bytes."""
UNTYPED = 0
"""Of words of which no ABI tells the type."""
OF_ADDRESSES = (KIND_ADDRESS << TYPE_SHIFT) | 20
"""The type of addresses."""
NO_TYPES = 0
"""Where `Pool.shown` begins, with the types of what has none."""
FIXED_SHARE = 6
OTHER_SHARE = 1
"""Eighths of the leaves that are marked: of `bytesN`, and of others."""


@record
class Pool:
    """What a sequence has harvested.

    Attributes:
        words, count: 32-byte words (`peek256`), in order.
        types: the type of each word, or `UNTYPED`.
        shown: `MOST_LOOKED_AT` types that stand for none, and as many of what each
            function returns, word by word.
        typed: 1 if leaves rather get no words of other types.
        most: how many there can be; 0 if nothing is harvested.
        pairs: 1 if numbers are sums and differences of two words, at times.
    """

    words: Bytes
    types: Words
    shown: Words
    typed: u64
    count: u64
    most: u64
    pairs: u64


# ------------------------------------------------------------------------- harvesting


@inline
def room_for_call(p: Pool) -> u64:
    """Return up to which count the call that has ended may fill the pool."""
    return least(p.count + MOST_OF_CALL, p.most)


@inline
def returned_types(p: Pool, function: u64) -> u64:
    """Return where in `shown` the types are of what a function returns."""
    return p.typed * (function + 1) * MOST_LOOKED_AT


def harvest_word(p: Pool, word: u256, kind: u64, stop: u64) -> None:
    """Add a word, unless it is small or known.

    Args:
        p: the pool.
        word: it.
        kind: its type, or `UNTYPED`.
        stop: up to which count.
    """
    count = p.count
    if count >= stop or word < LEAST_HARVESTED:
        return
    low = wrap64(word)
    for back in range(least(count, COMPARED)):
        # Most words differ in their lower end, which is quicker to tell.
        place = (count - 1 - back) * 32
        if load64(p.words, place) == low and peek256(p.words, place) == word:
            return
    poke256(p.words, count * 32, word)
    p.types[count] = kind
    p.count = count + 1


def harvest_data(
    p: Pool, data: Bytes, start: u64, size: u64, types: u64, stop: u64
) -> None:
    """Add the whole words among `size` bytes from `start` on, as above.

    Their types begin at `types` of `shown`.
    """
    for index in range(least(size >> 5, MOST_LOOKED_AT)):
        word = load256(data, start + index * 32)
        harvest_word(p, word, p.shown[types + index], stop)


# ---------------------------------------------------------------------------- marking


def mark_leaves(types: Words, node: u64, rng: Words, out: Bytes, pos: u64) -> None:
    """Mark leaves of the record at `pos`, whose arguments are of type `node`."""
    mark_value(types, node, rng, out, pos, pos + CALL_HEADER)


def mark_value(
    types: Words, node: u64, rng: Words, out: Bytes, pos: u64, at: u64
) -> u64:
    """Mark leaves of the value of type `node` at `at`; return its end.

    Where there is nothing to mark nothing is drawn.
    """
    kind = types[node + NODE_KIND]
    if kind < KIND_BYTES:
        share = share_of(types, node)
        if share != 0:
            draw = next64(rng)
            if draw & 7 < share:
                add_mark(types, node, draw >> 3, out, pos, at)
        return at + 32
    if kind < KIND_ARRAY:
        return skip(types, node, out, at)
    parts = types[node + NODE_ARG]
    end = at
    if kind == KIND_ARRAY:
        parts = length_at(out, at)
        end = at + 32
    child = node + NODE_WORDS
    for _ in range(parts):
        end = mark_value(types, child, rng, out, pos, end)
        if kind == KIND_TUPLE:
            child = types[child + NODE_NEXT]
    return end


def share_of(types: Words, node: u64) -> u64:
    """Return how many eighths of the leaves of a type are marked."""
    kind = types[node + NODE_KIND]
    if kind == KIND_BYTES_FIXED and types[node + NODE_ARG] >= LEAST_BYTES:
        return FIXED_SHARE
    if kind == KIND_UINT or kind == KIND_INT:
        if types[node + NODE_ARG] >= LEAST_BITS:
            return OTHER_SHARE
        return 0
    if kind == KIND_ADDRESS:
        return OTHER_SHARE
    return 0


@cold
def add_mark(
    types: Words, node: u64, number: u64, out: Bytes, pos: u64, at: u64
) -> None:
    """Mark the leaf of type `node` at `at`, if the record at `pos` has room for it.

    Of `number`, which is random, the lower bits are used.
    """
    word = load256(out, pos + CALL_SENDER)
    kind = types[node + NODE_KIND]
    size = wrap64(20)
    if kind == KIND_BYTES_FIXED:
        size = types[node + NODE_ARG]
    elif kind != KIND_ADDRESS:
        size = types[node + NODE_ARG] >> 3
    mark = (at - pos) >> 5 | (kind << KIND_SHIFT) | (size << SIZE_SHIFT)
    mark = mark | ((number & NUMBER_MASK) << NUMBER_SHIFT)
    if word >> SENDER_BITS == 0:
        word = word | (wrap256(mark) << SENDER_BITS)
    elif word >> (SENDER_BITS + MARK_BITS) == 0:
        word = word | (wrap256(mark) << (SENDER_BITS + MARK_BITS))
    store256(out, pos + CALL_SENDER, word)


# --------------------------------------------------------------------------- settling


@inline
def settle(p: Pool, sequence: Bytes, at: u64) -> None:
    """Settle the record at `at`, the next one to run: it has no marks any more."""
    word = load256(sequence, at + CALL_SENDER)
    if word >> SENDER_BITS != 0:
        settle_marks(p, sequence, at, word)


@cold
def settle_marks(p: Pool, sequence: Bytes, at: u64, word: u256) -> None:
    """Settle the record at `at`, whose marks stand in `word`."""
    store256(sequence, at + CALL_SENDER, word & SENDER_MASK)
    marks = word >> SENDER_BITS
    settle_leaf(p, sequence, at, wrap64(marks & MARK_MASK))
    settle_leaf(p, sequence, at, wrap64(marks >> MARK_BITS))


def settle_leaf(p: Pool, sequence: Bytes, at: u64, mark: u64) -> None:
    """Give a leaf a word of the pool, one that fits; the newer, the likelier."""
    if mark == 0 or p.count == 0:
        return
    kind = (mark >> KIND_SHIFT) & 7
    size = (mark >> SIZE_SHIFT) & 63
    number = mark >> NUMBER_SHIFT
    among = p.count
    if number & 1 != 0:
        among = least(among, NEWEST)
    chosen = p.count - 1 - (number >> 1) % among
    place = at + (mark & PLACE_MASK) * 32
    given = wrap64(0)
    if p.typed != 0 and (number >> TYPED_SHIFT) & 3 != 0:
        wanted = (kind << TYPE_SHIFT) | size
        given = give(p, sequence, place, mark, chosen, wanted)
    if given == 0:
        give(p, sequence, place, mark, chosen, UNTYPED)


def give(
    p: Pool, sequence: Bytes, place: u64, mark: u64, chosen: u64, wanted: u64
) -> u64:
    """Give the leaf at `place` a word, if there is one; return 1 then, else 0.

    Args:
        p: the pool.
        sequence: what is built.
        place: of the leaf.
        mark: of the leaf.
        chosen: number of the word that is looked at first; the older ones follow.
        wanted: the type that the word has if its type is known; `UNTYPED` for any.
    """
    kind = (mark >> KIND_SHIFT) & 7
    size = (mark >> SIZE_SHIFT) & 63
    steps = wrap64(NEWEST)
    if wanted != UNTYPED:
        steps = COMPARED
    for step in range(least(p.count, steps)):
        index = (chosen + p.count - step) % p.count
        known = p.types[index]
        if wanted == UNTYPED or known == wanted or known == UNTYPED:
            word = peek256(p.words, index * 32)
            if p.pairs != 0 and step == 0:
                how = mark >> (NUMBER_SHIFT + PAIR_SHIFT)
                word = combined(p, kind, how, index, word)
            if can_hold(kind, size, word) != 0:
                store256(sequence, place, word)
                return 1
    return 0


def combined(p: Pool, kind: u64, how: u64, index: u64, word: u256) -> u256:
    """Return the sum or the difference of two words, now and then, for a number.

    The second one is the newest of the pool, or that before the first one.

    Args:
        p: the pool.
        kind: of the leaf.
        how: five random bits.
        index: number of the first word.
        word: it.

    Returns:
        The first word alone, for others.
    """
    if kind != KIND_UINT and kind != KIND_INT:
        return word
    if how % PAIRED != 0 or p.count < 2:
        return word
    which = how // PAIRED
    other = p.count - 1
    if other == index or (which & 1 != 0 and index != 0):
        other = (index + p.count - 1) % p.count
    second = peek256(p.words, other * 32)
    if which & 2 != 0:
        return wrap256(word + second)
    if word < second:
        return wrap256(second - word)
    return wrap256(word - second)


def can_hold(kind: u64, size: u64, word: u256) -> u64:
    """Return 1 if a word can be meant for a leaf.

    It is canonical. And it is not of another kind: to `bytesN` belongs what begins at
    the word's left end, and an address is no amount.

    Args:
        kind: of the leaf.
        size: its bytes.
        word: from the pool.
    """
    good = word
    least_shift = wrap64(0)
    if kind == KIND_BYTES_FIXED:
        good = word & high_bytes(size)
        least_shift = wrap64(192)
    elif kind == KIND_ADDRESS:
        good = word & SENDER_MASK
        least_shift = wrap64(96)
    else:
        good = wrap_integer(kind, size * 8, word)
    if good == word and word >> least_shift != 0:
        return 1
    return 0
