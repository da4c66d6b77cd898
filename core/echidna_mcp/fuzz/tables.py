"""Everything that generation looks up, as one struct of flat buffers.

`FuzzTables` is what compiled code sees; `make_tables` builds it from Python values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Sized
from itertools import accumulate
from types import MappingProxyType
from typing import TypeVar

from echidna_mcp.abi.type_program import NODE_NEXT, NODE_WORDS
from echidna_mcp.errors import ConfigError, TargetError
from echidna_mcp.fuzz.layout import (
    CALL_HEADER,
    FUNCTION_NODE,
    FUNCTION_WORDS,
    MAX_CALL_BYTES,
)
from echidna_mcp.fuzz.tape import minimum
from echidna_mcp.kernel.language.memory import (
    MASK64,
    MASK256,
    Bytes,
    Words,
    u64,
    u256,
    words,
)
from echidna_mcp.kernel.language.record import record

T = TypeVar("T")

SEQUENCE_MUTATIONS = 15
"""How many changes there are of what the corpus has."""
SEQUENCE_WEIGHTS = SEQUENCE_MUTATIONS + 1
"""Length of `FuzzTables.weights`: those, and broods; the order is that of
`sequence_weights`."""
FIXTURE_START = 0
FIXTURE_COUNT = 1
FIXTURE_WORDS = 2
"""Of each node of the type program: number of the first of its fixtures, and how many
it has."""
PEER_FIRST = 0
PEER_COUNT = 1
PEER_WORDS = 2
GROUP_WORDS = 6
"""Length of `FuzzTables.group`."""
OFTEN = 8
"""How many times more others are called than functions that are called seldom."""
BROOD_CALLS = 8
"""The most fresh calls of a brood's sequence, but where whole ones are wanted."""
REPETITION = 50
"""Weight of sequences that have calls many times over."""
MOST_CHAINED = 24
"""Entries before that of a brood in plain tasks, as far as there is room."""

SCRATCH_BYTES = MAX_CALL_BYTES
MAX_DELAY = MASK64 >> 16
"""Longest delay; keeps sums of delays far away from 2^64."""


@record
class FuzzTables:
    """What one logical worker generates from.

    Attributes:
        types: the type program of all parameters.
        functions, function_count: the function table.
        senders, sender_count: 32-byte words, simplest sender first; at least one.
        dictionary, dictionary_count: 32-byte words of any meaning.
        own: 32-byte words, those of each function after those of the one before.
        own_bounds: the number of the first one of each function, and the end; one more
            for no function.
        calling: the function whose call is generated; `function_count` for none.
        addresses, address_count: 32-byte words worth using as address arguments.
        max_value: wei.
        max_time_delay, max_block_delay: seconds, blocks.
        dict_freq: thousandths of the values that come from the dictionary.
        weights: `SEQUENCE_WEIGHTS` weights.
        priority, priority_count: indices of prioritized functions; none means that all
            functions are equal.
        others, others_count: indices of the other functions that may be called now;
            some `OFTEN` times, if others are called seldom.
        prioritized: a byte a function, 1 if it is prioritized.
        seq_len: most calls in a sequence.
        scratch: memory that generation may overwrite at any time.
        starts: where the calls of a sequence begin that fresh ones follow, one word a
            call; `fuzz.parts` writes them.
        group: `GROUP_WORDS` words that lead from one sequence to the next, zero before
            the first one; `fuzz.sequence` writes them.
        fixtures, fixture_count: 32-byte words for parameters that have some.
        fixture_places: `FIXTURE_WORDS` words a node of `types`, if there are fixtures.
        texts: tapes of `bytes` and `string` for parameters that have such fixtures.
        text_bounds, text_count: where each of them begins, and where the last one ends.
        literals: tapes of texts that any parameter may have.
        literal_bounds, literal_count: as for `texts`.
        any_sender: 1 if others than `senders` send, too.
        barred, barred_count: 32-byte words: addresses that no other sender has.
        brood_calls: the most fresh calls of a sequence of a brood (`fuzz.sequence`);
            `seq_len` for as many as there is room for.
        chained: before how many others the entry of a brood may stand.
        echoes: 1 if fresh calls may have arguments of those before (`fuzz.echoes`).
        keys: 1 if they may have keys of those alone, too.
        shifts: 1 if copied texts may be divided anew.
        widths: 1 if a `uintN` matches a `uint256` in both, and the other way round.
        harvest: 1 if fresh calls take words that others have returned and logged
            (`fuzz.harvest`).
        payloads: 1 if `bytes` are encoded arguments at times, which climbing changes.
        ties: 1 if equal numbers of several calls may change together
            (`fuzz.climbing.ties`).
        coupled: 1 if shrinking tries more numbers, and several of them together.
        overriding: thousandths of the calls that get an override; 0 for none.
        peers: `PEER_WORDS` words a function, if there are overrides: the first function
            of its contract, and how many that has.
    """

    types: Words
    functions: Words
    function_count: u64
    senders: Bytes
    sender_count: u64
    dictionary: Bytes
    dictionary_count: u64
    own: Bytes
    own_bounds: Words
    calling: u64
    addresses: Bytes
    address_count: u64
    max_value: u256
    max_time_delay: u64
    max_block_delay: u64
    dict_freq: u64
    weights: Words
    priority: Words
    priority_count: u64
    others: Words
    others_count: u64
    prioritized: Bytes
    seq_len: u64
    scratch: Bytes
    starts: Words
    group: Words
    fixtures: Bytes
    fixture_count: u64
    fixture_places: Words
    texts: Bytes
    text_bounds: Words
    text_count: u64
    literals: Bytes
    literal_bounds: Words
    literal_count: u64
    overriding: u64
    peers: Words
    any_sender: u64
    barred: Bytes
    barred_count: u64
    coupled: u64
    brood_calls: u64
    chained: u64
    echoes: u64
    keys: u64
    shifts: u64
    widths: u64
    harvest: u64
    payloads: u64
    ties: u64


def sequence_weights(
    mut_consts: tuple[int, int, int, int] = (1, 1, 1, 1),
    *,
    broods: bool = False,
    repetition: bool = False,
) -> Words:
    """Return Echidna's weights of the sequence mutations for its `mutConsts`.

    Pairs of append and prepend: identity, shrink, mutate, expand, swap, delete; then
    splice and interleave; then repetition, if it is wanted. Half of what appends to
    calls as they are may be broods.
    """
    shrink, mutate, reshape, combine = mut_consts
    pairs = [shrink, mutate, reshape, reshape, reshape]
    doubled = [weight for weight in pairs for _ in range(2)]
    known, brood = (400, 400) if broods else (800, 0)
    repeat = REPETITION if repetition else 0
    return words([known, 200, *doubled, combine, combine, repeat, brood])


def call_fits(types: Words, node: int) -> bool:
    """Whether parameters of type `node` can be small enough for a call record.

    A function that does not fit (`uint256[1000]`) can't be fuzzed and must be left out
    of the function table.
    """
    return minimum(types, node) <= MAX_CALL_BYTES - CALL_HEADER


def sequence_capacity(seq_len: int) -> int:
    """Return the bytes that a buffer for sequences of `seq_len` calls must have."""
    return seq_len * MAX_CALL_BYTES


def calldata_capacity(types: Words) -> int:
    """Return the bytes that hold the calldata of any call record.

    Each level of nesting can add an offset to each word of a tape.
    """
    deepest = 0
    open_ends: list[int] = []
    for node in range(0, len(types), NODE_WORDS):
        while open_ends and open_ends[-1] <= node:
            open_ends.pop()
        open_ends.append(types[node + NODE_NEXT])
        deepest = max(deepest, len(open_ends))
    return 4 + MAX_CALL_BYTES * (1 + deepest)


def make_tables(
    *,
    types: Words,
    functions: Words,
    senders: Sequence[int],
    dictionary: Sequence[int] = (),
    own: Sequence[Sequence[int]] = (),
    addresses: Sequence[int] = (),
    max_value: int = 100 * 10**18,
    max_time_delay: int = 604_800,
    max_block_delay: int = 60_480,
    dict_freq: int = 400,
    weights: Words | None = None,
    priority: Collection[int] = (),
    unborn: Collection[int] = (),
    seldom: Collection[int] = (),
    seq_len: int = 100,
    fixtures: Mapping[int, Sequence[int]] = MappingProxyType({}),
    texts: Mapping[int, Sequence[bytes]] = MappingProxyType({}),
    literals: Sequence[bytes] = (),
    overriding: int = 0,
    callees: Sequence[int] = (),
    barred: Sequence[int] | None = None,
    coupled: bool = True,
    brood_calls: int = BROOD_CALLS,
    chained: int = 0,
    echoes: bool = True,
    keys: bool = False,
    shifts: bool = False,
    widths: bool = False,
    harvest: bool = False,
    payloads: bool = False,
    ties: bool = False,
) -> FuzzTables:
    """Return the tables for these values; the defaults are Echidna's.

    Args:
        senders: addresses, simplest first.
        dictionary: words below 2^256; order matters to results, so callers sort.
        own: those that each function draws up to half of its constants from, by its
            index; empty if none has any.
        addresses: addresses below 2^160, same.
        priority: indices of prioritized functions, in any order.
        unborn: indices of functions that are not to be called yet.
        seldom: indices of functions that are called seldom, where others are called.
        fixtures: words for parameters of one word, by their nodes in `types`.
        texts: tapes for those of `bytes` and `string`, in the same way.
        literals: tapes of texts for any of `bytes`, `string` and `bytesN`.
        overriding: thousandths of the calls that get an override.
        callees: number of the contract of each function, ascending; needed for those.
        barred: addresses that no other sender has; None if there are no others.
        coupled: whether shrinking has all of its candidates, or those of campaigns
            before 0.3.
        brood_calls: the most fresh calls of a sequence of a brood.
        chained: before how many others the entry of a brood may stand.
        echoes: whether fresh calls may have arguments of those before.
        keys: whether they may have keys of those alone, too.
        shifts: whether texts may be divided anew that are copied from those.
        widths: whether a `uintN` matches a `uint256` in both.
        harvest: whether fresh calls take what others have returned and logged.
        payloads: whether `bytes` are encoded arguments at times.
        ties: whether equal numbers of several calls may change together.

    Raises:
        TargetError: there is no function, or one that can't fit into a call.
        ConfigError: there is no sender, or a number is out of range.
    """
    count = len(functions) // FUNCTION_WORDS
    _check_functions(types, functions, count)
    _check_numbers(senders, max_value, max_time_delay, max_block_delay, seq_len)
    living = set(range(count)) - set(unborn)
    chosen = sorted(living & set(priority))
    marks = bytearray(count)
    for index in chosen:
        marks[index] = 1
    nodes = len(types) // NODE_WORDS if fixtures or texts else 0
    places = words([0] * (nodes * FIXTURE_WORDS))
    fixed = _placed(fixtures, places)
    tapes = _placed(texts, places)
    others = _others([index for index in sorted(living) if not marks[index]], seldom)
    return FuzzTables(
        types=types,
        functions=functions,
        function_count=count,
        senders=_pack(senders),
        sender_count=len(senders),
        dictionary=_pack(dictionary),
        dictionary_count=len(dictionary),
        own=_pack([word for each in own for word in each]),
        # The last one is of no function.
        own_bounds=_bounds([*(own or [()] * count), ()]),
        calling=count,
        addresses=_pack(addresses),
        address_count=len(addresses),
        max_value=max_value,
        max_time_delay=max_time_delay,
        max_block_delay=max_block_delay,
        dict_freq=dict_freq,
        weights=sequence_weights() if weights is None else weights,
        priority=words(chosen),
        priority_count=len(chosen),
        others=words(others),
        others_count=len(others),
        prioritized=marks,
        seq_len=seq_len,
        scratch=bytearray(SCRATCH_BYTES),
        starts=words([0] * seq_len),
        group=words([0] * GROUP_WORDS),
        fixtures=_pack(fixed),
        fixture_count=len(fixed),
        fixture_places=places,
        texts=bytearray(b"".join(tapes)),
        text_bounds=_bounds(tapes),
        text_count=len(tapes),
        literals=bytearray(b"".join(literals)),
        literal_bounds=_bounds(literals),
        literal_count=len(literals),
        overriding=overriding,
        peers=_peers(callees) if overriding else words([]),
        any_sender=int(barred is not None),
        barred=_pack(barred or ()),
        barred_count=len(barred or ()),
        coupled=int(coupled),
        brood_calls=brood_calls,
        chained=chained,
        echoes=int(echoes),
        keys=int(keys),
        shifts=int(shifts),
        widths=int(widths),
        harvest=int(harvest),
        payloads=int(payloads),
        ties=int(ties),
    )


def _others(functions: Sequence[int], seldom: Collection[int]) -> list[int]:
    """Return functions so often as they shall be drawn, relative to each other."""
    rare = frozenset(seldom)
    often = 1 if rare.isdisjoint(functions) else OFTEN
    return [index for index in functions for _ in range(1 if index in rare else often)]


def _peers(callees: Sequence[int]) -> Words:
    """Return of each function where those of its contract begin, and how many."""
    counts = Counter(callees)
    # Those of a contract follow each other, contract by contract.
    ends = accumulate(counts.values())
    begins = dict(zip(counts, (0, *ends), strict=False))
    return words([word for each in callees for word in (begins[each], counts[each])])


def _placed(fixtures: Mapping[int, Sequence[T]], places: Words) -> list[T]:
    """Return all values of the fixtures of a kind; `places` gets where they are."""
    found: list[T] = []
    for node, values in sorted(fixtures.items()):
        place = node // NODE_WORDS * FIXTURE_WORDS
        places[place + FIXTURE_START] = len(found)
        places[place + FIXTURE_COUNT] = len(values)
        found += values
    return found


def _bounds(parts: Sequence[Sized]) -> Words:
    return words([0, *accumulate(map(len, parts))])


def _pack(values: Sequence[int]) -> Bytes:
    return bytearray(b"".join(value.to_bytes(32, "big") for value in values))


def _check_functions(types: Words, functions: Words, count: int) -> None:
    if count == 0:
        raise TargetError("The target has no function to call; check the filters.")
    for index in range(count):
        if not call_fits(types, functions[index * FUNCTION_WORDS + FUNCTION_NODE]):
            raise TargetError(
                f"The parameters of function number {index} take more than "
                f"{MAX_CALL_BYTES} bytes; leave the function out with filterFunctions."
            )


def _check_numbers(
    senders: Sequence[int],
    max_value: int,
    max_time_delay: int,
    max_block_delay: int,
    seq_len: int,
) -> None:
    if not senders:
        raise ConfigError("There is no sender; set at least one address.")
    if not 0 <= max_value <= MASK256:
        raise ConfigError("maxValue must be between 0 and 2^256 - 1.")
    if not (0 <= max_time_delay <= MAX_DELAY and 0 <= max_block_delay <= MAX_DELAY):
        raise ConfigError("maxTimeDelay and maxBlockDelay must be between 0 and 2^48.")
    if seq_len < 1:
        raise ConfigError("seqLen must be at least 1.")
