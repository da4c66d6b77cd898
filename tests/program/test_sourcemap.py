from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from solc import compile_solidity

from echidna_mcp.program.sourcemap import (
    MapEntry,
    decode_map,
    encode_map,
    instruction_starts,
    metadata_start,
)

ENTRIES = st.lists(
    st.builds(
        MapEntry,
        st.integers(-1, 50) | st.integers(0, 100_000),
        st.integers(-1, 9),
        st.integers(-1, 3),
    ),
    min_size=1,
)


def test_example_of_the_solidity_documentation():
    assert decode_map("1:2:1;:9;2:1:2;;") == [
        MapEntry(1, 2, 1),
        MapEntry(1, 9, 1),
        MapEntry(2, 1, 2),
        MapEntry(2, 1, 2),
        MapEntry(2, 1, 2),
    ]


def test_jump_type_and_modifier_depth_are_skipped():
    assert decode_map("1:2:0:-:0;:::i;4:::o:1") == [
        MapEntry(1, 2, 0),
        MapEntry(1, 2, 0),
        MapEntry(4, 2, 0),
    ]


def test_no_map_has_no_entries():
    assert decode_map("") == []


@given(ENTRIES)
def test_encoding_loses_nothing(entries: list[MapEntry]):
    assert decode_map(encode_map(entries)) == entries


@given(st.binary(max_size=200))
def test_instructions_and_push_data_tile_the_code(code: bytes):
    starts = instruction_starts(code)
    at = 0
    for start in starts:
        assert start == at
        at += 1 + max(0, min(code[start] - 0x5F, 32) if code[start] < 0x80 else 0)
    assert at >= metadata_start(code)


@pytest.mark.parametrize(
    ("tail", "is_metadata"),
    [
        (
            bytes.fromhex("a264697066735822" + "12" * 34 + "64736f6c634300080c0033"),
            True,
        ),
        (bytes.fromhex("a165627a7a72305820" + "ab" * 32 + "0029"), True),
        (bytes.fromhex("6000600055"), False),
        (bytes.fromhex("a164646f6f7342000a"), False),
    ],
)
def test_metadata_is_recognised(tail: bytes, is_metadata: bool):
    code = bytes.fromhex("6080604052fe") + tail
    assert metadata_start(code) == (6 if is_metadata else len(code))


@pytest.mark.solc
@pytest.mark.parametrize("solc_args", ["", "--optimize", "--via-ir --optimize"])
def test_map_of_solc_has_an_entry_for_each_instruction_before_data(solc_args: str):
    source = """
        contract Child { uint public x = 3; }
        contract Parent { Child public c; function f() external { c = new Child(); } }
    """
    parent = compile_solidity(source, "Parent", solc_args=solc_args).main_contract
    for code, text in (
        (parent.creation_code, parent.creation_map),
        (parent.runtime_code, parent.runtime_map),
    ):
        starts = instruction_starts(code)
        entries = decode_map(text)
        assert 0 < len(entries) < len(starts)
        # solc puts INVALID between instructions and data.
        assert (
            code[starts[len(entries)]] == 0xFE or code[starts[len(entries) - 1]] == 0xFE
        )
        assert all(e.file == -1 or 0 <= e.start < len(source) for e in entries)
