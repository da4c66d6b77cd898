"""Keccak-256 in every mode, beside another implementation."""

from __future__ import annotations

import random
from typing import Any

import pytest
from eth_hash.auto import keccak
from hypothesis import example, given, settings
from hypothesis import strategies as st

from echidna_mcp.kernel.language.record import blank
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.plan import Plan
from echidna_mcp_plugins.native.state import keccak as native
from echidna_mcp_plugins.native.state.machine import Machine

FUNCTIONS: tuple[Any, ...] = (native.keccak256, native.hash_memory)


def reference(data: bytes | bytearray) -> int:
    return int.from_bytes(keccak(bytes(data)), "big")


@pytest.fixture(scope="module", params=["plain", "compiled", "checked"])
def library(request):
    return Library.load(Plan(functions=FUNCTIONS), mode=request.param)


def machine(*, rows: int = native.MEMO_MASK + 1) -> Machine:
    m = blank(Machine)
    m.memory = bytearray(4096)
    m.keccak_memo = bytearray(rows * native.MEMO_ROW)
    return m


def test_all_lengths_up_to_three_blocks_agree(library: Library) -> None:
    data = bytearray(random.Random(7).randbytes(500))
    hashed = library.function(native.keccak256)
    lengths = range(410) if library.mode != "plain" else [0, 1, 31, 135, 136, 137, 272]
    for size in lengths:
        assert hashed(data, 5, size) == reference(data[5 : 5 + size]), size


@settings(max_examples=60, deadline=None)
@given(data=st.binary(max_size=700), before=st.integers(0, 20))
@example(data=b"", before=0)
@example(data=b"\xff" * 135, before=3)
@example(data=b"\x00" * 136, before=0)
def test_any_bytes_anywhere_agree(library: Library, data: bytes, before: int) -> None:
    buffer = bytearray(before) + data
    assert library.function(native.keccak256)(buffer, before, len(data)) == reference(
        data
    )


def test_the_input_is_left_as_it_was(library: Library) -> None:
    data = bytearray(range(200))
    library.function(native.keccak256)(data, 0, 200)
    assert data == bytearray(range(200))


@settings(max_examples=40, deadline=None)
@given(
    inputs=st.lists(
        st.sampled_from([b"", b"\x01", b"\xff" * 32, b"\x01" + bytes(31), bytes(32)])
        | st.binary(max_size=64),
        min_size=1,
        max_size=12,
    ),
    start=st.integers(0, 40),
)
def test_remembered_hashes_are_right(
    library: Library, inputs: list[bytes], start: int
) -> None:
    m = machine()
    hashed = library.function(native.hash_memory)
    for data in [*inputs, *inputs]:
        for size in (32, 64):
            padded = data.ljust(size, b"\0")[:size]
            m.memory[start : start + size] = padded
            assert hashed(m, start, size) == reference(padded)


@pytest.mark.parametrize("mode", ["plain", "compiled", "checked"])
def test_inputs_that_share_a_row_of_the_memo_do_not_mix(
    mode: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "MEMO_MASK", 0)
    library = Library.load(Plan(functions=FUNCTIONS), mode=mode)
    hashed = library.function(native.hash_memory)
    m = machine(rows=1)
    inputs = [bytes(32), bytes(64), b"\x01" * 32, b"\x01" * 64]
    inputs += [b"\x01" * 32 + bytes(32), bytes(32) + b"\x01" * 32]
    for _ in range(2):
        for data in inputs:
            for _ in range(2):
                m.memory[: len(data)] = data
                assert hashed(m, 0, len(data)) == reference(data)


def test_a_hash_comes_from_the_memo_the_second_time(library: Library) -> None:
    m = machine()
    hashed = library.function(native.hash_memory)
    m.memory[:64] = bytes(range(64))
    first = hashed(m, 0, 64)
    row = next(
        at
        for at in range(0, len(m.keccak_memo), native.MEMO_ROW)
        if m.keccak_memo[at + native.MEMO_SIZE]
    )
    at = row + native.MEMO_RESULT
    m.keccak_memo[at : at + 32] = (first ^ 1).to_bytes(32, "little")
    assert hashed(m, 0, 64) == first ^ 1
