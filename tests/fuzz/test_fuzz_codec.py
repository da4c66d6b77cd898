from __future__ import annotations

from typing import Any

import pytest
from abi_strategies import calls, parameters
from fuzz_support import inputs_of, interfaces, node_of, stream, tables_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.encoding import decode_arguments, encode_arguments
from echidna_mcp.abi.types import Tuple, parse_parameters
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.fuzz.calldata import (
    decode_calldata,
    encode_call,
    encode_calldata,
    encoded_size,
)
from echidna_mcp.fuzz.generate import generate_call
from echidna_mcp.fuzz.layout import (
    CALL_HEADER,
    FLAG_EMPTY,
    FLAG_RAW,
    MAX_CALL_BYTES,
)
from echidna_mcp.fuzz.tables import calldata_capacity
from echidna_mcp.fuzz.tape import FAIL, is_canonical, minimum, skip

ROOM = MAX_CALL_BYTES - CALL_HEADER


def decode(inputs: Tuple, data: bytes) -> bytes | None:
    tables = tables_of(inputs)
    # Surroundings that must neither matter nor change.
    before, after = bytearray(b"\xff" * 7), bytearray(b"\xee" * 40)
    tape = bytearray(b"\xdd" * (len(data) + 64))
    end = decode_calldata(
        tables.types,
        node_of(tables),
        before + bytearray(data) + after,
        7,
        7 + len(data),
        tape,
        32,
    )
    assert tape[:32] == b"\xdd" * 32
    return None if end == FAIL else bytes(tape[32:end])


def encode(inputs: Tuple, tape: bytes) -> bytes:
    tables = tables_of(inputs)
    out = bytearray(b"\xcc" * calldata_capacity(tables.types))
    memory = bytearray(tape)
    node = node_of(tables)
    end = encode_calldata(tables.types, node, memory, 0, out, 5)
    assert end - 5 == encoded_size(tables.types, node, memory, 0)
    assert out[:5] == b"\xcc" * 5
    assert set(out[end:]) <= {0xCC}
    return bytes(out[5:end])


@st.composite
def encodings(draw: st.DrawFn) -> tuple[Tuple, Any, bytes]:
    function, arguments = draw(calls())
    return function.inputs, arguments, encode_arguments(function.inputs, arguments)


@settings(deadline=None)
@given(encodings())
def test_what_the_codec_encodes_is_decoded_and_encoded_again(
    case: tuple[Tuple, Any, bytes],
):
    inputs, _, data = case
    tape = decode(inputs, data)
    assert tape is not None
    tables = tables_of(inputs)
    node, memory = node_of(tables), bytearray(tape)
    assert is_canonical(tables.types, node, memory, 0, len(tape)) == 1
    assert skip(tables.types, node, memory, 0) == len(tape)
    assert minimum(tables.types, node) <= len(tape) <= len(data)
    assert encode(inputs, tape) == data


@settings(deadline=None)
@given(interfaces(), st.integers(0, 2**64 - 1))
def test_what_is_encoded_is_decoded_by_the_codec(inputs: list[Tuple], seed: int):
    tables = tables_of(*inputs)
    rng, record = stream(seed), bytearray(MAX_CALL_BYTES)
    data = bytearray(calldata_capacity(tables.types))
    for function, parameters_ in enumerate(inputs):
        end = generate_call(tables, rng, function, record, 0)
        stop = encode_call(tables.types, tables.functions, record, 0, data, 0)
        assert data[:4] == (0xA0000000 + function).to_bytes(4, "big")
        arguments = decode_arguments(parameters_, bytes(data[4:stop]))
        assert encode_arguments(parameters_, arguments) == data[4:stop]
        assert decode(parameters_, bytes(data[4:stop])) == record[CALL_HEADER:end]


@st.composite
def damaged(draw: st.DrawFn) -> tuple[Tuple, bytes]:
    inputs, _, data = draw(encodings())
    memory = bytearray(data)
    for _ in range(draw(st.integers(1, 3))):
        if not memory:
            break
        at = draw(st.integers(0, len(memory) - 1))
        what = draw(st.integers(0, 3))
        if what == 0:
            memory[at] ^= 1 << draw(st.integers(0, 7))
        elif what == 1:
            at -= at % 32
            number = draw(
                st.sampled_from([0, 1, 32, 64, 2**63, 2**64, 2**256 - 1])
                | st.integers(0, 2**256 - 1)
            )
            memory[at : at + 32] = number.to_bytes(32, "big")
        elif what == 2:
            del memory[at:]
        else:
            memory += bytes(draw(st.integers(1, 64)))
    return inputs, bytes(memory)


@settings(deadline=None)
@given(damaged())
def test_decoding_accepts_exactly_the_canonical_encodings(case: tuple[Tuple, bytes]):
    inputs, data = case
    try:
        canonical = encode_arguments(inputs, decode_arguments(inputs, data)) == data
    except InvalidInputError:
        canonical = False
    tape = decode(inputs, data)
    assert (tape is not None) == canonical
    if tape is not None:
        assert encode(inputs, tape) == data


@settings(deadline=None)
@given(parameters(), st.binary(max_size=300))
def test_a_tape_is_canonical_exactly_if_its_encoding_is(inputs: Tuple, junk: bytes):
    tables = tables_of(inputs)
    node, memory = node_of(tables), bytearray(junk)
    if is_canonical(tables.types, node, memory, 0, len(junk)):
        assert decode(inputs, encode(inputs, junk)) == junk


@settings(deadline=None)
@given(st.data())
def test_damaged_tapes_are_found(data: st.DataObject):
    inputs, _, encoded = data.draw(encodings())
    tape = decode(inputs, encoded)
    assume(tape)
    assert tape is not None
    memory = bytearray(tape)
    at = data.draw(st.integers(0, len(memory) - 1))
    memory[at] ^= 1 << data.draw(st.integers(0, 7))
    tables = tables_of(inputs)
    if is_canonical(tables.types, node_of(tables), memory, 0, len(memory)):
        # Still canonical: then it is another value, which the codec can read.
        again = encode(inputs, bytes(memory))
        assert encode_arguments(inputs, decode_arguments(inputs, again)) == again
        assert again != encoded


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("uint8", 256),
        ("int8", 128),
        ("int8", (1 << 256) - 129),
        ("int8", 255),
        ("int248", 1 << 255),
        ("address", 1 << 160),
        ("bool", 2),
        ("bytes4", 1),
        ("bytes31", 255),
        ("function", 1 << 63),
    ],
)
def test_words_out_of_range_are_refused(name: str, word: int):
    assert decode(inputs_of(name), word.to_bytes(32, "big")) is None


@pytest.mark.parametrize(
    ("name", "words_"),
    [
        ("bytes", [32, 2**64 - 1]),
        ("bytes", [32, 2**256 - 1]),
        ("bytes", [32, 33, 0]),
        ("bytes", [32, 1, 1]),
        ("bytes", [64, 0, 0]),
        ("bytes", [0]),
        ("uint8[]", [32, 2**59]),
        ("uint8[]", [32, 2**64 - 1, 0]),
        ("string[]", [32, 2, 64, 64, 0]),
        ("string[]", [32, 2**64 // 32]),
        ("uint256[][]", [32, 1, 2**256 - 32]),
        ("bytes[2]", [32, 64, 64, 0, 0]),
    ],
)
def test_hostile_lengths_and_offsets_are_refused(name: str, words_: list[int]):
    data = b"".join(word.to_bytes(32, "big") for word in words_)
    assert decode(inputs_of(name), data) is None


def test_calls_larger_than_a_record_are_refused():
    inputs = inputs_of("bytes")
    assert decode(inputs, encode_arguments(inputs, (bytes(ROOM - 32),))) is not None
    assert decode(inputs, encode_arguments(inputs, (bytes(ROOM - 31),))) is None
    arrays = inputs_of("uint256[]")
    full = (tuple(range(ROOM // 32 - 1)),)
    assert decode(arrays, encode_arguments(arrays, full)) is not None
    assert decode(arrays, encode_arguments(arrays, ((*full[0], 0),))) is None


def test_nested_arrays_can_not_be_made_to_work_hard():
    # Every element names the same tail: 2^9 elements would unfold to 2^27.
    inner = [500, *[500 * 32] * 500]
    data = [32, *inner]
    encoded = b"".join(word.to_bytes(32, "big") for word in data) + bytes(32)
    assert decode(inputs_of("uint256[][][]"), encoded) is None


@settings(deadline=None)
@given(st.binary(max_size=100))
def test_raw_calls_are_their_argument(data: bytes):
    tables = tables_of(inputs_of("bytes"), flags=[FLAG_RAW])
    record, out = bytearray(MAX_CALL_BYTES), bytearray(MAX_CALL_BYTES)
    generate_call(tables, stream(1), 0, record, 0)
    padded = data + bytes(-len(data) % 32)
    tape = len(data).to_bytes(32, "big") + padded
    record[CALL_HEADER : CALL_HEADER + len(tape)] = tape
    end = encode_call(tables.types, tables.functions, record, 0, out, 0)
    assert out[:end] == data


def test_empty_calls_have_no_calldata():
    tables = tables_of(parse_parameters([]), flags=[FLAG_EMPTY])
    record, out = bytearray(MAX_CALL_BYTES), bytearray(64)
    assert generate_call(tables, stream(1), 0, record, 0) == CALL_HEADER
    assert encode_call(tables.types, tables.functions, record, 0, out, 0) == 0


@pytest.mark.parametrize("depth", [1, 4, 10])
def test_deep_nesting_fits_the_calldata_buffer(depth: int):
    nested: dict[str, Any] = {"type": "string"}
    # Empty strings, each inside as many structs: an offset a level, a word of tape.
    argument: Any = b""
    for _ in range(depth):
        nested = {"type": "tuple", "components": [nested]}
        argument = (argument,)
    inputs = parse_parameters([{**nested, "type": nested["type"] + "[]"}])
    arguments = (((argument,) * (ROOM // 32 - 1)),)
    encoded = encode_arguments(inputs, arguments)
    assert len(encoded) > (depth + 1) * 16_000
    tape = decode(inputs, encoded)
    assert tape is not None
    assert len(tape) == ROOM
    assert encode(inputs, tape) == encoded
