"""Overrides: calls of a sequence that take the place of one which another makes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from abi_strategies import parameters
from fuzz_support import calls_in, inputs_of, node_of, sequence_measure, stream
from fuzz_support import tables_of as plain_tables_of
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.fuzz.kernels.loading import PLAIN_KERNELS, Kernels, load_kernels
from echidna_mcp.fuzz.layout import CALL_HEADER, MAX_CALL_BYTES, MOST_PASSED_OVER
from echidna_mcp.fuzz.mutate_call import mutate_call
from echidna_mcp.fuzz.records import (
    call_function,
    call_length,
    override_after,
    override_length,
    plain_length,
)
from echidna_mcp.fuzz.rename import rename_sender
from echidna_mcp.fuzz.sequence import build_sequence
from echidna_mcp.fuzz.shrink import NO_MORE, UNCHANGED, shrink_candidate
from echidna_mcp.fuzz.simplify import simplify_call
from echidna_mcp.fuzz.tables import SEQUENCE_WEIGHTS, FuzzTables, sequence_capacity
from echidna_mcp.fuzz.tape import is_canonical
from echidna_mcp.kernel.language.memory import Bytes, load256, words
from echidna_mcp.rounds.call_codec import join, split, without_override

SEQ_LEN = 4
Inputs = st.lists(parameters(), min_size=1, max_size=3)
Seed = st.integers(0, 2**64 - 1)


def tables_of(*inputs: Any, callees: tuple[int, ...] = (), **more: Any) -> FuzzTables:
    numbers = callees or (0,) * len(inputs)
    more = {"seq_len": SEQ_LEN, "overriding": 1000, **more}
    flags = [1] * len(inputs)
    return plain_tables_of(*inputs, flags=flags, callees=numbers, **more)


def sequences(
    tables: FuzzTables, seed: int, kernels: Kernels = PLAIN_KERNELS, count: int = 8
) -> Iterator[bytes]:
    """Yield sequences that each join the corpus of the next."""
    rng, corpus, entries = stream(seed), bytearray(), words([])
    out = bytearray(sequence_capacity(SEQ_LEN))
    tables.group[:] = words([0] * len(tables.group))
    for number in range(count):
        end = kernels.build_sequence(tables, rng, corpus, entries, number, out)
        entries.extend((len(corpus), len(corpus) + end))
        corpus += out[:end]
        yield bytes(out[:end])


def check(tables: FuzzTables, memory: Bytes, end: int) -> None:
    for at in calls_in(memory, end):
        assert call_length(memory, at) <= MAX_CALL_BYTES
        stop = at + plain_length(memory, at)
        check_arguments(tables, memory, at, stop)
        if size := override_length(memory, at):
            assert size == call_length(memory, stop)
            assert override_length(memory, stop) == 0
            assert override_after(memory, stop) <= MOST_PASSED_OVER
            check_arguments(tables, memory, stop, stop + size)


def check_arguments(tables: FuzzTables, memory: Bytes, at: int, stop: int) -> None:
    node = node_of(tables, call_function(memory, at))
    assert is_canonical(tables.types, node, memory, at + CALL_HEADER, stop)


@settings(max_examples=20, deadline=None)
@given(Seed)
def test_no_function_is_generated_for_when_a_call_has_its_override(seed):
    inputs = [inputs_of("uint256"), inputs_of("uint256")]
    tables = tables_of(
        *inputs,
        own=[(777_777,), (888_888,)],
        weights=words([1] * SEQUENCE_WEIGHTS),
    )
    overridden = 0
    for sequence in sequences(tables, seed):
        assert tables.calling == tables.function_count
        overridden += overrides_in(sequence)
    out = bytearray(MAX_CALL_BYTES)
    rng = stream(seed)
    for _ in range(40):
        mutate_call(tables, rng, bytearray(sequence), 0, out, 0)
        assert tables.calling == tables.function_count
    assert overridden


def overrides_in(sequence: bytes) -> int:
    return sum(call.override is not None for call in split(sequence))


@settings(max_examples=40, deadline=None)
@given(Inputs, Seed)
def test_calls_with_overrides_are_canonical_and_come_back(inputs, seed):
    tables = tables_of(*inputs, weights=words([1] * SEQUENCE_WEIGHTS))
    found = 0
    for sequence in sequences(tables, seed):
        check(tables, bytearray(sequence), len(sequence))
        assert join(split(sequence)) == sequence
        found += overrides_in(sequence)
    assert found


@pytest.fixture(scope="module", params=["compiled", "checked"])
def kernels(request) -> Kernels:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ECHIDNA_MCP_KERNELS", request.param)
        return load_kernels()


@settings(max_examples=15, deadline=None)
@given(Inputs, Seed)
def test_compiled_code_builds_and_shrinks_the_same(kernels, inputs, seed):
    tables = tables_of(*inputs, weights=words([1] * SEQUENCE_WEIGHTS))
    built = list(sequences(tables, seed))
    assert list(sequences(tables, seed, kernels)) == built
    best = bytearray(max(built, key=overrides_in))
    end = len(best)
    one, two = bytearray(2 * end), bytearray(2 * end)
    index = found = 0
    while found != NO_MORE:
        found = kernels.shrink_candidate(tables, best, end, index, one)
        assert found == shrink_candidate(tables, best, end, index, two)
        if found not in (NO_MORE, UNCHANGED):
            assert one[:found] == two[:found]
        index += 1 + index // 20


@settings(max_examples=40, deadline=None)
@given(Inputs, Seed, st.integers(1, 3))
def test_every_candidate_is_canonical_and_strictly_simpler(inputs, seed, length):
    tables = tables_of(*inputs, seq_len=length)
    memory = bytearray(sequence_capacity(length))
    end = build_sequence(tables, stream(seed), bytearray(), words([0]), 0, memory)
    index, stop, before = 0, 0, measure(tables, memory, end)
    while stop != NO_MORE:
        out = bytearray(end + 32)
        stop = shrink_candidate(tables, memory, end, index, out)
        if stop not in (NO_MORE, UNCHANGED):
            check(tables, out, stop)
            assert measure(tables, out, stop) < before
        index += 1 + index // 100


def measure(tables: FuzzTables, memory: Bytes, end: int) -> tuple[Any, ...]:
    """Return what is less in a simpler sequence: that of the calls, then overrides."""
    plain, others, passed = bytearray(), bytearray(), 0
    for at in calls_in(memory, end):
        place = at + plain_length(memory, at)
        plain += without_override(memory[at : at + call_length(memory, at)])
        if override_length(memory, at):
            others += memory[place : at + call_length(memory, at)]
            passed += override_after(memory, place)
    of_others = sequence_measure(tables, others, len(others)) if others else ()
    calls = sequence_measure(tables, plain, len(plain))
    return calls, len(others) > 0, passed, of_others


def test_shrinking_ends_without_an_override_that_nothing_needs():
    tables = tables_of(inputs_of("uint256"), inputs_of())
    memory = bytearray(next(iter(sequences(tables, 5))))
    assert overrides_in(bytes(memory))
    out, index = bytearray(len(memory)), 0
    while (stop := shrink_candidate(tables, memory, len(memory), index, out)) != (
        NO_MORE
    ):
        index += 1
        if stop != UNCHANGED:
            memory, index = out[:stop], 0
    assert overrides_in(bytes(memory)) == 0


def test_an_override_that_is_needed_becomes_as_simple_as_it_may_be():
    tables = tables_of(inputs_of("uint256"), seq_len=1)
    memory = bytearray(next(iter(sequences(tables, 11))))

    def fails(sequence: bytes) -> bool:
        [call] = split(sequence)
        return call.override is not None and int.from_bytes(call.override.tape) >= 9

    index, out = 0, bytearray(len(memory))
    assert fails(bytes(memory))
    while (stop := shrink_candidate(tables, memory, len(memory), index, out)) != (
        NO_MORE
    ):
        index += 1
        if stop != UNCHANGED and fails(bytes(out[:stop])):
            memory, index = out[:stop], 0
    [call] = split(bytes(memory))
    assert call.override is not None
    assert int.from_bytes(call.tape) == 0
    assert (call.override.after, int.from_bytes(call.override.tape)) == (0, 9)


@settings(max_examples=40, deadline=None)
@given(parameters(), Seed)
def test_changed_calls_keep_a_canonical_override(inputs, seed):
    tables = tables_of(inputs, seq_len=1)
    rng, out = stream(seed), bytearray(2 * MAX_CALL_BYTES)
    call = bytearray(next(iter(sequences(tables, seed))))
    for change in (mutate_call, simplify_call):
        end = change(tables, rng, call, 0, out, 0)
        check(tables, out, end)
        assert overrides_in(bytes(out[:end])) == overrides_in(bytes(call))


def test_nine_calls_in_ten_get_one_and_most_of_them_call_the_same_contract():
    none = inputs_of()
    tables = tables_of(*[none] * 8, callees=(0, 1, 1, 2, 2, 2, 2, 2), overriding=900)
    calls = [
        call
        for seed in range(300)
        for sequence in sequences(tables, seed, count=1)
        for call in split(sequence)
    ]
    overrides = [(each, each.override) for each in calls if each.override]
    assert 0.85 < len(overrides) / len(calls) < 0.95
    callee = (0, 1, 1, 2, 2, 2, 2, 2)
    same = [
        over
        for call, over in overrides
        if callee[call.function] == callee[over.function]
    ]
    assert 0.8 < len(same) / len(overrides) < 0.95
    passed = Counter(over.after for _, over in overrides)
    assert 0.4 < passed[0] / len(overrides) < 0.6
    assert max(passed) <= MOST_PASSED_OVER


def test_a_renamed_sender_is_renamed_in_overrides_too():
    tables = tables_of(inputs_of("address"), seq_len=1)
    for sequence in sequences(tables, 2):
        memory = bytearray(sequence)
        place = plain_length(memory, 0)
        if override_length(memory, 0):
            old = load256(memory, place + CALL_HEADER)
            rename_sender(tables, memory, len(memory), old, 0xABCDEF)
            assert load256(memory, place + CALL_HEADER) == 0xABCDEF
