"""Fuzzing code, compiled with every access and every width checked, against Python."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from abi_strategies import parameters
from fuzz_support import (
    calls_in,
    inputs_of,
    interfaces,
    node_of,
    shrink,
    stream,
    tables_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.fuzz.calldata import decode_calldata, encode_call
from echidna_mcp.fuzz.layout import CALL_HEADER, MAX_CALL_BYTES
from echidna_mcp.fuzz.records import call_function
from echidna_mcp.fuzz.rng import derive
from echidna_mcp.fuzz.sequence import build_sequence
from echidna_mcp.fuzz.shrink import NO_MORE, UNCHANGED, shrink_candidate
from echidna_mcp.fuzz.tables import (
    SEQUENCE_WEIGHTS,
    calldata_capacity,
    sequence_capacity,
)
from echidna_mcp.fuzz.tape import FAIL, is_canonical
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.plan import Plan

FUNCTIONS: tuple[Any, ...] = (
    build_sequence,
    decode_calldata,
    derive,
    encode_call,
    is_canonical,
    shrink_candidate,
)


@pytest.fixture(scope="module")
def checked() -> dict[str, Any]:
    library = Library.load(Plan(functions=FUNCTIONS), mode="checked")
    return {each.__name__: library.function(each) for each in FUNCTIONS}


@settings(max_examples=25, deadline=None)
@given(interfaces(), st.integers(0, 2**256 - 1), st.booleans())
def test_sequences_mean_the_same_with_checked_widths(
    checked: dict[str, Any], inputs: Any, seed: int, focused: bool
):
    tables = tables_of(
        *inputs,
        flags=[1] * len(inputs),
        seq_len=4,
        priority=[0] if focused else [],
        weights=words([1] * SEQUENCE_WEIGHTS),
    )
    plain, watched = stream(seed), words([0, 0])
    checked["derive"](watched, seed, 0, 0, 1)
    assert plain == watched
    corpus, entries = bytearray(), []
    others = copy.deepcopy(tables)
    one = bytearray(sequence_capacity(4))
    two = bytearray(sequence_capacity(4))
    for count in range(12):
        table = words(entries or [0])
        end = build_sequence(tables, plain, corpus, table, count, one)
        assert end == checked["build_sequence"](
            others, watched, corpus, table, count, two
        )
        assert one[:end] == two[:end]
        entries += [len(corpus), len(corpus) + end]
        corpus += one[:end]
    data = bytearray(calldata_capacity(tables.types))
    for at in calls_in(one, end):
        stop = checked["encode_call"](tables.types, tables.functions, one, at, data, 0)
        node = node_of(tables, call_function(one, at))
        tape = bytearray(MAX_CALL_BYTES)
        size = checked["decode_calldata"](tables.types, node, data, 4, stop, tape, 0)
        start = at + CALL_HEADER
        assert tape[:size] == one[start : start + size]


@settings(max_examples=25, deadline=None)
@given(st.lists(parameters(), min_size=1, max_size=2), st.integers(0, 2**64 - 1))
def test_shrinking_means_the_same_with_checked_widths(
    checked: dict[str, Any], inputs: Any, seed: int
):
    tables = tables_of(*inputs, flags=[1] * len(inputs), seq_len=3)
    best = bytearray(sequence_capacity(3))
    end = build_sequence(tables, stream(seed), bytearray(), words([0]), 0, best)
    one, two = bytearray(2 * end), bytearray(2 * end)
    index = 0
    while True:
        found = shrink_candidate(tables, best, end, index, one)
        assert found == checked["shrink_candidate"](tables, best, end, index, two)
        if found == NO_MORE:
            break
        if found != UNCHANGED:
            assert one[:found] == two[:found]
        index += 1 + index // 20


@settings(deadline=None)
@given(parameters(), st.binary(max_size=400), st.integers(0, 64))
def test_hostile_bytes_are_decoded_inside_their_bounds(
    checked: dict[str, Any], inputs: Any, data: bytes, at: int
):
    tables = tables_of(inputs)
    tape = bytearray(len(data) + 64)
    start = min(at, len(data))
    checked["decode_calldata"](
        tables.types, node_of(tables), bytearray(data), start, len(data), tape, 0
    )
    checked["is_canonical"](
        tables.types, node_of(tables), bytearray(data), start, len(data)
    )


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("string[]", [32, 1]),
        ("string[]", [32, 512, 512 * 32]),
        ("string[3]", [32, 96]),
        ("uint8[]", [32, 512]),
        ("uint8[4][]", [32, 2, 0, 0]),
        ("bytes", [32]),
        ("bytes", [32, 16384]),
    ],
)
def test_nothing_is_read_after_the_data(
    checked: dict[str, Any], name: str, numbers: list[int]
):
    tables = tables_of(inputs_of(name))
    data = bytearray(b"".join(number.to_bytes(32, "big") for number in numbers))
    tape = bytearray(len(data) + 32)
    run = checked["decode_calldata"]
    assert run(tables.types, 0, data, 0, len(data), tape, 0) == FAIL


def test_shrinking_to_the_end_stays_in_bounds(checked: dict[str, Any]):
    wide = inputs_of("uint256", "int8", "bytes", "string[]", "uint8[3][]")
    tables = tables_of(wide, flags=[1], seq_len=5, max_time_delay=1000)
    best = bytearray(sequence_capacity(5))
    end = build_sequence(tables, stream(5), bytearray(), words([0]), 0, best)
    result, _ = shrink(tables, bytes(best[:end]), lambda _, stop: stop > 0)
    out = bytearray(len(result) + 64)
    seen = 0
    while checked["shrink_candidate"](tables, result, len(result), seen, out) != (
        NO_MORE
    ):
        seen += 1
    assert len(list(calls_in(result, len(result)))) == 1
