"""Pools of words, and the marks of leaves that get one when their call runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pytest
from fuzz_support import calls_in, inputs_of, interfaces, node_of, stream, tables_of
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.type_program import (
    KIND_ADDRESS,
    KIND_BYTES_FIXED,
    KIND_INT,
    KIND_UINT,
)
from echidna_mcp.abi.types import Tuple, parse_tuple
from echidna_mcp.fuzz.harvest import (
    COMPARED,
    LEAST_HARVESTED,
    MOST_HARVESTED,
    MOST_LOOKED_AT,
    MOST_OF_CALL,
    NO_TYPES,
    TYPE_SHIFT,
    UNTYPED,
    Pool,
    harvest_data,
    harvest_word,
    returned_types,
    room_for_call,
    settle,
)
from echidna_mcp.fuzz.kernels.loading import kernels_in
from echidna_mcp.fuzz.layout import CALL_HEADER, CALL_SENDER, SENDER_BITS
from echidna_mcp.fuzz.parts import append_fresh
from echidna_mcp.fuzz.records import call_function, call_length, call_sender
from echidna_mcp.fuzz.sequence import GROUP_KNOWN, build_sequence
from echidna_mcp.fuzz.tables import FuzzTables, sequence_capacity
from echidna_mcp.fuzz.tape import is_canonical
from echidna_mcp.kernel.language.memory import load256, words
from echidna_mcp.rounds.interface import make_pool

IDS = tuple((0xD << 252) + number for number in range(1, 4))


def pool_of(found: Iterable[int]) -> Pool:
    pool = make_pool(harvests=True)
    for word in found:
        harvest_word(pool, word, UNTYPED, MOST_HARVESTED)
    return pool


def fresh(tables: FuzzTables, seed: int, count: int) -> bytearray:
    out = bytearray(sequence_capacity(count))
    return out[: append_fresh(tables, stream(seed), count, out, 0)]


def marked(sequence: bytearray, at: int) -> bool:
    return load256(sequence, at + CALL_SENDER) >> SENDER_BITS != 0


def settled(pool: Pool, sequence: bytearray) -> bytearray:
    found = sequence.copy()
    for at in calls_in(found, len(found)):
        settle(pool, found, at)
    return found


def arguments(sequence: bytearray) -> list[int]:
    return [
        load256(sequence, place)
        for at in calls_in(sequence, len(sequence))
        for place in range(at + CALL_HEADER, at + call_length(sequence, at), 32)
    ]


@given(
    interfaces(),
    st.integers(0, 2**64 - 1),
    st.lists(st.integers(0, 2**256 - 1) | st.integers(0, 2**160), max_size=40),
)
@settings(max_examples=60, deadline=None)
def test_what_is_settled_is_canonical_and_has_no_marks(
    inputs: list[Tuple], seed: int, found: list[int]
):
    tables = tables_of(*inputs, flags=[1] * len(inputs), harvest=True)
    built = fresh(tables, seed, 10)
    ready = settled(pool_of(found), built)
    assert len(ready) == len(built)
    for at in calls_in(ready, len(ready)):
        assert not marked(ready, at)
        assert call_sender(ready, at) == call_sender(built, at)
        node = node_of(tables, call_function(ready, at))
        end = at + call_length(ready, at)
        assert is_canonical(tables.types, node, ready, at + CALL_HEADER, end)
    changed = set(arguments(ready)) - set(arguments(built))
    assert changed <= set(found)
    # What has no marks stays as it is, whatever is in the pool.
    assert settled(pool_of(IDS), ready) == ready


def test_without_harvest_nothing_is_marked():
    tables = tables_of(inputs_of("bytes32", "address", "uint256"))
    built = fresh(tables, 1, 50)
    assert not any(marked(built, at) for at in calls_in(built, len(built)))


def test_an_empty_pool_leaves_what_was_generated():
    tables = tables_of(inputs_of("bytes32", "address", "uint256"), harvest=True)
    built = fresh(tables, 1, 50)
    assert any(marked(built, at) for at in calls_in(built, len(built)))
    assert arguments(settled(pool_of(()), built)) == arguments(built)
    assert arguments(settled(make_pool(harvests=False), built)) == arguments(built)


@pytest.mark.parametrize(
    ("name", "word", "other"),
    [
        ("bytes32", IDS[0], 10**18),
        ("bytes8", 0xAB << 248, IDS[0]),
        ("uint256", IDS[0], None),
        ("uint128", 10**18, IDS[0]),
        ("int64", 10**18, IDS[0]),
        ("address", 0xABCD << 128, 10**18),
        ("bytes4", None, 0xABCD << 240),
        ("uint16", None, LEAST_HARVESTED),
        ("bool", None, LEAST_HARVESTED),
    ],
)
def test_a_word_is_given_to_what_it_can_be_meant_for(name, word, other):
    tables = tables_of(inputs_of(name), dictionary=(), harvest=True, seq_len=300)
    pool = pool_of(each for each in (word, other) if each is not None)
    built = fresh(tables, 3, 300)
    given_out = arguments(settled(pool, built))
    assert (word in given_out) == (word is not None)
    if other is not None:
        assert other not in given_out


@pytest.mark.parametrize("name", ["uint256", "int256", "bytes32", "address"])
def test_numbers_are_sums_and_differences_if_that_is_wanted(name: str):
    tables = tables_of(inputs_of(name), dictionary=(), harvest=True, seq_len=8_000)
    found = [3 << 120, 5 << 122, 7 << 200, 9 << 140]
    built = fresh(tables, 8, 8_000)
    pool = pool_of(found)
    assert not combinations(arguments(settled(pool, built)), found)
    pool.pairs = 1
    combined = combinations(arguments(settled(pool, built)), found)
    newest = found[-1]
    wanted = {each + newest for each in found[:3]}
    wanted |= {abs(each - newest) for each in found[:3]}
    wanted |= {sum(found[:2]), found[1] - found[0], found[1] + found[2]}
    assert (wanted <= combined) == (name in ("uint256", "int256"))
    assert bool(combined) == (name in ("uint256", "int256"))


def test_a_word_alone_is_not_combined_and_what_is_too_large_is_not_given():
    tables = tables_of(inputs_of("uint128"), dictionary=(), harvest=True, seq_len=5_000)
    built = fresh(tables, 9, 5_000)
    found = [2**128 - (5 << 20)]
    pool = pool_of(found)
    pool.pairs = 1
    assert arguments(settled(pool, built)) == arguments(settled(pool_of(found), built))
    harvest_word(pool, 2**128 - (12 << 20), UNTYPED, MOST_HARVESTED)
    given_out = set(arguments(settled(pool, built))) - set(arguments(built))
    assert given_out == {*found, 2**128 - (12 << 20), 7 << 20}


def combinations(given: Iterable[int], found: Sequence[int]) -> set[int]:
    """Return the sums and differences of two words among some arguments."""
    pairs = [(one, other) for one in found for other in found]
    every = {(one + other) % 2**256 for one, other in pairs}
    every |= {abs(one - other) for one, other in pairs if one != other}
    return every & set(given) - set(found)


def test_members_and_elements_are_marked():
    tables = tables_of(
        inputs_of("bytes32[]", "bytes32[2]", "bytes"), harvest=True, seq_len=300
    )
    built = fresh(tables, 4, 300)
    given = settled(pool_of(IDS), built)
    places = {
        (place - at) // 32
        for at in calls_in(built, len(built))
        for place in range(at + CALL_HEADER, at + call_length(built, at), 32)
        if load256(given, place) in IDS
    }
    assert len(places) > 4


def typed_pool(returned: str, *found: int, typed: bool = True) -> Pool:
    """Return the pool after a call that returned some words."""
    kinds = [parse_tuple("()"), parse_tuple(returned)] if typed else None
    pool = make_pool(harvests=True, returned=kinds)
    data = bytearray(b"".join(word.to_bytes(32, "big") for word in found))
    types = returned_types(pool, 1)
    harvest_data(pool, data, 0, len(data), types, room_for_call(pool))
    return pool


def test_words_have_the_types_that_the_function_returns():
    names = "(uint64,bytes,(int128,bytes32)[2],uint8[],address)"
    pool = typed_pool(names, *range(2**40, 2**40 + 9))
    wanted = [
        (KIND_UINT, 8),
        (0, 0),
        *[(KIND_INT, 16), (KIND_BYTES_FIXED, 32)] * 2,
        (0, 0),
        (KIND_ADDRESS, 20),
    ]
    kinds = [kind << TYPE_SHIFT | size for kind, size in wanted]
    assert list(pool.types[: pool.count]) == kinds
    plain = typed_pool(names, *range(2**40, 2**40 + 9), typed=False)
    assert set(plain.types[: plain.count]) == {UNTYPED}


def test_what_a_list_returns_has_the_types_of_its_beginning_only():
    pool = typed_pool("(uint64[1000000])", *range(2**40, 2**40 + 9))
    assert set(pool.types[: pool.count]) == {KIND_UINT << TYPE_SHIFT | 8}


def test_leaves_rather_get_words_of_their_own_type():
    found = [2**40 + number for number in range(8)]
    names = "(uint128,uint96,uint64,uint120,uint72,uint80,uint88,uint104)"
    tables = tables_of(inputs_of("uint64"), dictionary=(), harvest=True, seq_len=9_000)
    built = fresh(tables, 5, 9_000)
    shares = []
    for typed in (True, False):
        given = arguments(settled(typed_pool(names, *found, typed=typed), built))
        counts = [given.count(word) for word in found]
        assert min(counts) > 0, "in one value of four the type does not matter"
        shares.append(counts[2] / sum(counts))
    assert shares[0] > 0.7
    assert shares[1] < 0.2


def test_words_without_a_type_are_as_good_as_those_of_the_right_one():
    tables = tables_of(inputs_of("uint64"), dictionary=(), harvest=True, seq_len=9_000)
    built = fresh(tables, 5, 9_000)
    pool = typed_pool("(uint64,uint128)", 2**40, 2**41)
    harvest_word(pool, 2**42, UNTYPED, room_for_call(pool))
    given = arguments(settled(pool, built))
    typed, other, untyped = (given.count(word) for word in (2**40, 2**41, 2**42))
    assert min(typed, untyped) > 3 * other > 0


def test_a_leaf_whose_type_was_not_returned_gets_what_it_got_before():
    found = [2**40 + number for number in range(8)]
    names = "(uint128,uint96,uint56,uint120,uint72,uint80,uint88,uint104)"
    tables = tables_of(inputs_of("uint64", "int64", "address"), harvest=True)
    built = fresh(tables, 7, 50)
    pools = [typed_pool(names, *found, typed=typed) for typed in (True, False)]
    one, other = (arguments(settled(pool, built)) for pool in pools)
    assert one == other != arguments(built)


def test_newer_words_are_likelier_and_none_is_out_of_reach():
    tables = tables_of(inputs_of("bytes32"), dictionary=(), harvest=True, seq_len=2_000)
    found = [(0xE << 252) + number for number in range(50)]
    given_out = arguments(settled(pool_of(found), fresh(tables, 5, 2_000)))
    counts = [given_out.count(word) for word in found]
    assert min(counts) > 0
    assert sum(counts[-16:]) > sum(counts[:-16])


def test_what_is_harvested_is_bounded_and_new():
    pool = make_pool(harvests=True)
    data = bytearray(b"".join(w.to_bytes(32, "big") for w in (5, *IDS, IDS[0], *IDS)))
    harvest_data(pool, data, 0, len(data), NO_TYPES, room_for_call(pool))
    assert pool.count == len(IDS)
    # Not what is no whole word, nor what stands too far behind.
    harvest_data(pool, bytearray(b"\xff" * 31), 0, 31, NO_TYPES, room_for_call(pool))
    late = bytearray(32 * MOST_LOOKED_AT) + b"\xff" * 32
    harvest_data(pool, late, 0, len(late), NO_TYPES, room_for_call(pool))
    assert pool.count == len(IDS)
    calls = 0
    while room_for_call(pool) > pool.count:
        before, stop = pool.count, room_for_call(pool)
        for number in range(20):
            harvest_word(pool, (calls << 32) + LEAST_HARVESTED + number, UNTYPED, stop)
        assert pool.count <= before + MOST_OF_CALL
        calls += 1
    assert pool.count == MOST_HARVESTED
    pool.count = 1
    harvest_word(pool, IDS[1], UNTYPED, room_for_call(pool))
    assert pool.count == 2
    nothing = make_pool(harvests=False)
    harvest_word(nothing, IDS[0], UNTYPED, room_for_call(nothing))
    assert nothing.count == 0


def test_a_word_comes_again_when_others_have_come_since():
    others = [(1 << 40) + number for number in range(COMPARED)]
    assert pool_of([IDS[0], *others, IDS[0]]).count == COMPARED + 2
    assert pool_of([IDS[0], *others[1:], IDS[0]]).count == COMPARED


def corpus_of(tables: FuzzTables, entries: int) -> tuple[bytearray, list[int]]:
    memory, bounds = bytearray(), []
    for number in range(entries):
        entry = settled(pool_of(IDS), fresh(tables, 100 + number, 6))
        bounds += [len(memory), len(memory) + len(entry)]
        memory += entry
    return memory, bounds


def test_only_fresh_calls_are_marked():
    tables = tables_of(
        inputs_of("bytes32", "uint256"), inputs_of("address"), seq_len=12, harvest=True
    )
    memory, bounds = corpus_of(tables, 5)
    old = {
        bytes(memory[at : at + call_length(memory, at)])
        for at in calls_in(memory, len(memory))
    }
    rng, out = stream(9), bytearray(sequence_capacity(12))
    marks = 0
    for _ in range(300):
        end = build_sequence(tables, rng, memory, words(bounds), 5, out)
        built = out[:end]
        for at in calls_in(built, end):
            known = at < tables.group[GROUP_KNOWN]
            assert known <= (bytes(built[at : at + call_length(built, at)]) in old)
            assert not (known and marked(built, at))
            marks += marked(built, at)
    assert marks > 500


@pytest.mark.parametrize("mode", ["compiled", "checked"])
def test_compiled_code_marks_alike(mode):
    def built(build) -> list[bytes]:
        tables = tables_of(
            inputs_of("bytes32", "uint256[]"),
            inputs_of("address", "bytes16", "int96"),
            seq_len=12,
            harvest=True,
        )
        memory, bounds = corpus_of(tables, 5)
        rng, out = stream(9), bytearray(sequence_capacity(12))
        return [
            bytes(out[: build(tables, rng, memory, words(bounds), 5, out)])
            for _ in range(200)
        ]

    assert built(kernels_in(mode).build_sequence) == built(build_sequence)
