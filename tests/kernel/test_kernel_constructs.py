"""Every construct of the language means the same in all modes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import kernel_constructs as samples
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_modules import Modes

from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.library.build import BuildOptions

NUMBER = st.one_of(st.integers(0, 40), st.integers(0, 2**64 - 1))
EVERYTHING = (*samples.TWO_NUMBERS, samples.memory_walk, samples.fields)


@pytest.fixture(scope="module", params=["optimised", "as written"])
def modes(request: Any) -> Modes:
    if request.param == "optimised":
        return Modes(EVERYTHING)
    return Modes(EVERYTHING, options=BuildOptions(passes=0, codegen=0))


@pytest.mark.parametrize("plain", samples.TWO_NUMBERS, ids=lambda f: f.__name__)
def test_functions_of_two_numbers(modes: Modes, plain: Callable[..., int]):
    runs = modes.both(plain)

    @settings(max_examples=60, deadline=None)
    @given(NUMBER, NUMBER)
    def agree(a: int, b: int) -> None:
        expected = plain(a, b)
        assert [run(a, b) for run in runs] == [expected, expected]

    agree()


@settings(max_examples=60, deadline=None)
@given(st.binary(min_size=160, max_size=160), st.lists(NUMBER, min_size=4), NUMBER)
def test_buffers(modes: Modes, content: bytes, values: list[int], a: int):
    def run(function: Callable[..., int]) -> tuple[Any, ...]:
        data, row = bytearray(content), words(values)
        result = function(data, row, a, values[0])
        return result, data, row

    expected = run(samples.memory_walk)
    for each in modes.both(samples.memory_walk):
        assert run(each) == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(NUMBER, NUMBER), max_size=4))
def test_records_callbacks_and_records_in_records(modes: Modes, calls: Any):
    def run(function: Callable[..., int]) -> list[Any]:
        part = samples.Part(count=1, words=words([0, 0, 99]))
        asked = []

        def host(value: int) -> int:
            asked.append((value, state.word, part.count))
            return value * 5

        state = samples.State(
            tiny=1,
            small=2,
            half=2**32 - 1,
            word=4,
            long=1 << 100,
            wide=1 << 250,
            huge=1 << 500,
            memory=bytearray(16),
            table=words([0, 0]),
            part=part,
            host=host,
        )
        results = [function(state, a, b) for a, b in calls]
        raw = [bytes(state.memory), list(state.table), part.count, list(part.words)]
        numbers = [state.tiny, state.small, state.half, state.word]
        wide = [state.long, state.wide, state.huge]
        return [results, asked, raw, numbers, wide]

    expected = run(samples.fields)
    for each in modes.both(samples.fields):
        assert run(each) == expected


def test_small_fields_fill_their_word(modes: Modes):
    state = samples.State(
        part=samples.Part(words=words([0, 0, 1])),
        memory=bytearray(16),
        table=words([0, 0]),
        host=lambda value: value,
    )
    ctypes.memset(ctypes.addressof(state), 0xFF, 24)
    modes.compiled.function(samples.fields)(state, 0x1234, 0)
    assert ctypes.string_at(ctypes.addressof(state), 8) == b"\x34" + bytes(7)
