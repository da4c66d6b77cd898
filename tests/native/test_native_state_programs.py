"""Code is kept once, found again, hashed, and dropped on request."""

from __future__ import annotations

import pytest
from eth_hash.auto import keccak
from hypothesis import given, settings
from hypothesis import strategies as st
from native_world import State, entries, small_machine

from echidna_mcp.kernel.language.memory import load64, store64
from echidna_mcp_plugins.native.code.programs import CODE_PADDING
from echidna_mcp_plugins.native.host.world import code_bytes
from echidna_mcp_plugins.native.state.machine import (
    FAULT_CAPACITY,
    PROGRAM_BLOCK_COUNT,
    PROGRAM_BLOCKS,
    PROGRAM_CODE,
    PROGRAM_ROW,
    PROGRAM_STREAM,
    Machine,
)


@pytest.fixture(scope="module", params=["plain", "compiled", "checked"])
def run(request):
    return State(request.param)


def intern(run: State, m: Machine, code: bytes, before: int = 0) -> int:
    buffer = bytearray(b"\xaa" * before) + code + b"\xbb"
    return int(run.intern_code(m, buffer, before, len(code)))


@settings(max_examples=60, deadline=None)
@given(
    codes=st.lists(
        st.binary(max_size=40)
        | st.integers(0, 300).map(bytes)
        | st.integers(0, 40).map(lambda n: b"\x5b" * n),
        max_size=12,
    )
)
def test_equal_codes_have_one_row_and_others_their_own(
    run: State, codes: list[bytes]
) -> None:
    m = small_machine()
    rows = [intern(run, m, code, at) for at, code in enumerate(codes)]
    again = [intern(run, m, code, 3) for code in codes]
    assert again == rows
    assert len(set(rows)) == len(set(codes))
    for code, row in zip(codes, rows, strict=True):
        assert (row == 0) == (code == b"")
        assert code_bytes(m, row) == code
        assert run.code_hash(m, row) == int.from_bytes(keccak(code), "big")
        assert run.code_hash(m, row) == int.from_bytes(keccak(code), "big")


def test_codes_of_one_fingerprint_are_told_apart(run: State) -> None:
    m = small_machine()
    code = bytes(range(1, 60))
    row = intern(run, m, code)
    at = load64(m.programs, row + PROGRAM_CODE)
    for changed in (at, at + 31, at + len(code) - 1):
        m.code[changed] ^= 1
        other = intern(run, m, code)
        assert other != row
        m.code[changed] ^= 1
        assert intern(run, m, code) == row


def test_code_is_followed_by_zeros_wherever_it_comes_to_lie(run: State) -> None:
    m = small_machine()
    run.keep_programs(m)
    intern(run, m, b"\xff" * 500)
    run.forget_programs(m)
    row = intern(run, m, b"\x7f")
    end = load64(m.programs, row + PROGRAM_CODE) + 1
    assert bytes(m.code[end : end + CODE_PADDING]) == bytes(CODE_PADDING)
    assert m.code_end == end + CODE_PADDING


def test_forgetting_drops_what_came_later_and_keeps_the_rest(run: State) -> None:
    m = small_machine()
    kept = [intern(run, m, bytes([n, 1])) for n in range(50)]
    # Decoded before and after the mark.
    store64(m.programs, kept[0] + PROGRAM_STREAM, m.stream_end)
    m.stream_end += 10
    m.block_end += 640
    run.keep_programs(m)
    ends = (m.program_end, m.code_end, m.stream_end, m.block_end)
    for _ in range(3):
        store64(m.programs, kept[1] + PROGRAM_STREAM, m.stream_end)
        store64(m.programs, kept[1] + PROGRAM_BLOCKS, m.block_end)
        store64(m.programs, kept[1] + PROGRAM_BLOCK_COUNT, 1)
        m.stream_end += 10
        m.block_end += 640
        later = [intern(run, m, n.to_bytes(3, "big")) for n in range(2000)]
        assert len({*later, *kept}) == 2050
        run.forget_programs(m)
        assert (m.program_end, m.code_end, m.stream_end, m.block_end) == ends
        assert load64(m.programs, kept[0] + PROGRAM_STREAM) == 1
        for at in (PROGRAM_STREAM, PROGRAM_BLOCKS, PROGRAM_BLOCK_COUNT):
            assert load64(m.programs, kept[1] + at) == 0
        numbers = entries(m.program_index, m.program_index_mask)
        assert numbers == list(range(1, m.program_end // PROGRAM_ROW))
        assert [intern(run, m, bytes([n, 1])) for n in range(50)] == kept


@pytest.mark.parametrize("what", ["code", "program"])
def test_full_tables_are_a_fault_and_no_damage(run: State, what: str) -> None:
    m = small_machine()
    row = intern(run, m, b"\x01" * 10)
    end = m.program_end, m.code_end
    setattr(m, f"{what}_limit", getattr(m, f"{what}_end") + 41)
    assert intern(run, m, b"\x02" * 10) == 0
    assert m.fault == FAULT_CAPACITY
    assert (m.program_end, m.code_end) == end
    m.fault = 0
    assert intern(run, m, b"\x01" * 10) == row
    assert m.fault == 0
