"""Our encoding against that of eth-abi: equal values and bytes, or both refuse."""

from __future__ import annotations

import time
from typing import Any

import eth_abi.abi
import pytest
from abi_strategies import parameters, values
from eth_abi.exceptions import DecodingError, EncodingError
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.encoding import decode_arguments, encode_arguments
from echidna_mcp.abi.types import (
    AbiType,
    Array,
    Elementary,
    Tuple,
    parse_parameter,
)
from echidna_mcp.abi.values import HOLE
from echidna_mcp.errors import InvalidInputError

# The same bytes, without eth-abi's conversions to text.
WIRE = {"address": "uint160", "string": "bytes", "function": "bytes24"}


def wire(abi_type: AbiType) -> str:
    match abi_type:
        case Elementary(name=name):
            return WIRE.get(name, name)
        case Array(element=element, length=length):
            return f"{wire(element)}[{'' if length is None else length}]"
        case Tuple(members=members):
            return f"({','.join(map(wire, members))})"


def eth_abi_decode(inputs: Tuple, data: bytes) -> Any:
    """The values, or None if eth-abi refuses the data."""
    try:
        return eth_abi.abi.decode([wire(m) for m in inputs.members], data)
    except (DecodingError, ValueError, OverflowError):
        return None


def eth_abi_encode(inputs: Tuple, arguments: Any) -> bytes | None:
    try:
        return eth_abi.abi.encode([wire(m) for m in inputs.members], arguments)
    except (EncodingError, ValueError, OverflowError):
        return None


def decode(inputs: Tuple, data: bytes) -> Any:
    try:
        return decode_arguments(inputs, data)
    except InvalidInputError:
        return None


def encode(inputs: Tuple, arguments: Any) -> bytes | None:
    try:
        return encode_arguments(inputs, arguments)
    except InvalidInputError:
        return None


def same_decoding(inputs: Tuple, data: bytes) -> Any:
    found, expected = decode(inputs, data), eth_abi_decode(inputs, data)
    # repr: True is no 1, bytes are no bytearray, tuples are no lists.
    assert repr(found) == repr(expected)
    return found


def inputs_of(*names: str) -> Tuple:
    """Parameters by their types; `(...)` is a struct, without spaces."""
    types = tuple(map(type_of, names))
    return Tuple(types, ("",) * len(types))


def type_of(name: str) -> AbiType:
    if name.endswith("]"):
        element, _, length = name[:-1].rpartition("[")
        return Array(type_of(element), int(length) if length else None)
    if not name.startswith("("):
        return parse_parameter({"type": name})
    parts, depth = [""], 0
    for letter in name[1:-1]:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return inputs_of(*parts)


def words(*numbers: int) -> bytes:
    return b"".join((number % 2**256).to_bytes(32, "big") for number in numbers)


# Types in place that are larger than a word, and offsets behind and among them.
mixed_types = st.lists(
    st.sampled_from(
        [
            *("uint256", "int8", "bool", "bytes3", "bytes", "string", "uint8[]"),
            *("uint256[2]", "bool[2][3]", "(uint8,int16)", "(uint8,int16)[2]"),
            *("(uint256[2],bytes)", "bytes[2]", "string[]", "(bool,(bool,bytes1))"),
            *("(uint8[3][2],bytes)[]", "(string,(bytes,uint8)[2])", "uint8[][]"),
            *("bool[2][]", "(bytes[],(uint8,uint8)[1])[1]"),
        ]
    ),
    max_size=4,
).map(lambda names: inputs_of(*names))
all_parameters = parameters() | mixed_types

numbers = st.one_of(
    st.integers(0, 4),
    st.integers(0, 12).map(lambda n: 32 * n),
    st.integers(0, 400),
    st.integers(-300, -1),
    st.integers(0, 2**256 - 1),
    st.integers(0, 256).map(lambda n: 2**n),
    st.sampled_from([2**59, 2**63 - 1, 2**63, 2**64 - 1, 2**255, 2**256 - 32]),
)


@st.composite
def damaged(draw: st.DrawFn) -> tuple[Tuple, bytes]:
    """An encoding that something has happened to."""
    inputs = draw(all_parameters)
    arguments: Any = draw(values(inputs))
    data = bytearray(encode_arguments(inputs, arguments))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        word = at - at % 32
        match draw(st.integers(0, 7)):
            case 0 if at < len(data):
                data[at] ^= 1 << draw(st.integers(0, 7))
            case 1:
                data[word : word + 32] = words(draw(numbers))
            case 2:
                old = int.from_bytes(data[word : word + 32], "big")
                data[word : word + 32] = words(old + draw(st.integers(-70, 70)))
            case 3:
                del data[at:]
            case 4:
                data += draw(st.binary(min_size=1, max_size=70))
            case 5:
                del data[word : word + 32]
            case 6:
                data[word:word] = words(draw(numbers))
            case 7:
                other = 32 * draw(st.integers(0, len(data) // 32))
                data[word : word + 32] = data[other : other + 32]
    return inputs, bytes(data)


@settings(max_examples=300)
@given(st.data())
def test_what_is_encoded_equals_eth_abi_and_is_decoded_alike(data: st.DataObject):
    inputs = data.draw(all_parameters)
    arguments = data.draw(values(inputs))
    encoded = encode(inputs, arguments)
    assert encoded is not None
    assert encoded == eth_abi_encode(inputs, arguments)
    assert repr(same_decoding(inputs, encoded)) == repr(arguments)


@settings(max_examples=1000)
@given(damaged())
def test_damaged_data_is_decoded_or_refused_alike(case: tuple[Tuple, bytes]):
    same_decoding(*case)


@settings(max_examples=500)
@given(all_parameters, st.lists(numbers, max_size=14), st.binary(max_size=40))
def test_any_words_are_decoded_or_refused_alike(
    inputs: Tuple, head: list[int], rest: bytes
):
    same_decoding(inputs, words(*head) + rest)


leaves = st.one_of(
    numbers,
    st.booleans(),
    st.binary(max_size=40),
    st.binary(max_size=40).map(bytearray),
    st.text(max_size=3),
    st.sampled_from(
        [None, 1.0, 0j, HOLE, {}, {1}, range(2), 1 << 20_000, -1 << 20_000]
    ),
)


def spoiled(draw: st.DrawFn, value: Any) -> Any:
    """A value with another one somewhere in it, or with a list of another length."""
    if isinstance(value, tuple) and draw(st.integers(0, 3)):
        return draw(st.sampled_from([list, tuple]))(spoiled_items(draw, value))
    return draw(leaves | st.lists(leaves, max_size=3) | st.just([value]))


def spoiled_items(draw: st.DrawFn, value: tuple[Any, ...]) -> tuple[Any, ...]:
    at = draw(st.integers(0, len(value)))
    if at == len(value) or draw(st.integers(0, 3)) == 0:
        added = tuple(draw(st.lists(leaves, max_size=1)))
        return value[:at] + added + value[at + draw(st.integers(0, 1)) :]
    return (*value[:at], spoiled(draw, value[at]), *value[at + 1 :])


@st.composite
def misfits(draw: st.DrawFn) -> tuple[Tuple, tuple[Any, ...]]:
    """Parameters, and arguments that may no longer be theirs."""
    inputs = draw(all_parameters)
    arguments: Any = draw(values(inputs))
    return inputs, spoiled_items(draw, arguments)


@settings(max_examples=1000)
@given(misfits())
def test_values_that_do_not_fit_are_refused_alike(case: tuple[Tuple, tuple[Any, ...]]):
    inputs, arguments = case
    assert encode(inputs, arguments) == eth_abi_encode(inputs, arguments)


@pytest.mark.parametrize(
    ("names", "data"),
    [
        # Bits, bytes and their padding.
        (["uint8"], words(255)),
        (["uint8"], words(256)),
        (["int8"], words(-128)),
        (["int8"], words(128)),
        (["int8"], words(-129)),
        (["int8"], words(255)),
        (["int256"], words(2**255)),
        (["address"], words(2**160 - 1)),
        (["address"], words(2**160)),
        (["bool"], words(1)),
        (["bool"], words(2)),
        (["bool"], words(2**255 + 1)),
        (["bytes4"], words(2**224)),
        (["bytes4"], words(2**223)),
        (["bytes32"], words(-1)),
        (["function"], words(2**64)),
        (["function"], words(2**63)),
        # Bytes that end early, late or with anything but zeros.
        (["bytes"], words(32, 0)),
        (["bytes"], words(32)),
        (["bytes"], words(32, 1, 2**248)),
        (["bytes"], words(32, 1, 2**248 + 1)),
        (["bytes"], words(32, 1)),
        (["bytes"], words(32, 1, 2**248)[:-1]),
        (["bytes"], words(32, 2, 0x6162 << 240)[:-30]),
        (["bytes"], words(32, 33, -1)),
        (["bytes"], words(32, 2**63, 0)),
        (["bytes"], words(32, 2**256 - 1, 0)),
        (["string"], words(32, 1, 255 << 248)),
        # Offsets: unaligned, shared, backwards, to the end and beyond.
        (["bytes"], words(33, 0) + b"\0"),
        (["bytes"], words(64, 0, 0)),
        (["bytes"], words(0)),
        (["bytes"], words(31, 0, 0)),
        (["bytes"], words(64, 0)),
        (["bytes"], words(2**255, 0)),
        (["bytes"], words(2**256 - 1, 0)),
        (["bytes", "bytes"], words(64, 64, 0)),
        (["bytes", "bytes"], words(64, 32, 0)),
        (["bytes[]"], words(32, 2, 64, 64, 0)),
        (["bytes[]"], words(32, 2, 32, 64, 0)),
        (["bytes[]"], words(32, 1, 0)),
        (["bytes[]"], words(32, 1, 31, 0, 0)),
        (["bytes[1]"], words(32, 0)),
        (["bytes[2]"], words(32, 32, 64, 0)),
        (["bytes[2]"], words(32, 64, 64, 0)),
        (["(bytes)"], words(32, 32, 0)),
        (["(bytes)"], words(32, 64, 0)),
        # An offset into what is in place: eth-abi counts one word for a struct, and
        # the elements of a fixed array.
        (["(uint8,uint8)", "bytes"], words(0, 0, 64)),
        (["(uint8,uint8)", "bytes"], words(0, 0, 63)),
        (["bytes", "(uint8,uint8)"], words(64, 1, 0)),
        (["uint8[2][3]", "bytes"], words(0, 0, 0, 0, 0, 0, 128, 0)),
        (["uint8[2][3]", "bytes"], words(0, 0, 0, 0, 0, 0, 127, 0)),
        (["uint8[3]", "bytes"], words(0, 0, 0, 96, 0)),
        (["uint8[3]", "bytes"], words(0, 0, 0, 128, 0)),
        (["(uint8[3],bytes)"], words(32, 0, 0, 0, 96, 0)),
        (["(uint8,uint8)[2]", "bytes"], words(0, 0, 0, 0, 96, 0)),
        (["(uint8,uint8)[2]", "bytes"], words(0, 0, 0, 0, 95, 0)),
        # Lengths.
        (["uint8[]"], words(32, 0)),
        (["uint8[]"], words(32, 1)),
        (["uint8[]"], words(32, 2**256 - 1, 1)),
        (["uint8[][]"], words(32, 0)),
        (["uint8[][]"], words(32, 1, 32, 0)),
        (["uint8[3]"], words(1, 2)),
        (["uint8[3]"], words(1, 2, 3, 4)),
        # Nothing, too little, and more than enough.
        ([], b""),
        ([], b"abc"),
        (["uint8"], b""),
        (["uint8"], bytes(31)),
        (["uint8"], bytes(33)),
    ],
    ids=lambda part: ",".join(part) if isinstance(part, list) else f"{len(part)} bytes",
)
def test_edges_are_decoded_or_refused_alike(names: list[str], data: bytes):
    same_decoding(inputs_of(*names), data)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("uint8", 255),
        ("uint8", 256),
        ("uint8", -1),
        ("uint8", True),
        ("uint8", 1.0),
        ("int8", -128),
        ("int8", -129),
        ("int8", 128),
        ("uint256", 2**256),
        pytest.param("uint256", 1 << 20_000, id="huge"),
        ("address", 2**160),
        ("address", "0x" + "00" * 20),
        ("bool", 1),
        ("bool", False),
        ("bytes4", b""),
        ("bytes4", b"abc"),
        ("bytes4", b"abcde"),
        ("bytes4", bytearray(b"abcd")),
        ("bytes4", "abcd"),
        ("bytes", bytearray(33)),
        ("bytes", memoryview(b"a")),
        ("string", "text"),
        ("function", bytes(25)),
        ("uint8[]", ()),
        ("uint8[]", b"ab"),
        ("uint8[]", bytearray(b"ab")),
        ("uint8[]", ""),
        ("uint8[]", memoryview(b"ab")),
        ("uint8[]", range(3)),
        ("uint8[]", {1, 2}),
        ("uint8[]", {}),
        ("uint8[2]", (1,)),
        ("uint8[2]", (1, 2, 3)),
        ("uint8[2]", "ab"),
        ("(uint8)", ()),
        ("(uint8)", (1, 2)),
        ("(uint8)", 1),
        ("(uint8)", HOLE),
        ("uint8[][2]", ((), (1, "2"))),
    ],
)
def test_edges_are_encoded_or_refused_alike(name: str, value: Any):
    inputs = inputs_of(name)
    assert encode(inputs, (value,)) == eth_abi_encode(inputs, (value,))


NOTHING = Tuple((), ())


@pytest.mark.parametrize(
    "abi_type",
    [
        NOTHING,
        Array(NOTHING, None),
        Array(Array(NOTHING, None), None),
        Tuple((type_of("bytes"), NOTHING), ("", "")),
        Array(NOTHING, 2**200),
        Array(type_of("uint256"), 0),
        Array(type_of("string"), 0),
        Array(Array(type_of("uint8"), 0), None),
        Array(Array(Array(type_of("uint8"), 0), 2**200), None),
    ],
)
@pytest.mark.parametrize("length", [0, 1, 2**64, 2**256 - 1])
def test_types_that_take_no_room_are_refused(abi_type: AbiType, length: int):
    """As by eth-abi, whose parser refuses them."""
    inputs = Tuple((abi_type,), ("",))
    with pytest.raises(InvalidInputError, match=r"is no encoding of .*: no value has"):
        decode_arguments(inputs, words(32, length, 0, 0))
    with pytest.raises(InvalidInputError, match=r"do not fit .*: no value has"):
        encode_arguments(inputs, ((),))


@pytest.mark.parametrize(
    "name",
    [
        *("uint8[]", "bytes", "bytes[]", "(uint8,bytes)[]", "uint8[9][9][]"),
        *("uint8[][]", f"uint8[{2**200}][]", f"bytes[{2**200}][]"),
    ],
)
@pytest.mark.parametrize("length", [2**30, 2**63, 2**64, 2**256 - 1])
def test_a_length_beyond_the_data_is_refused_at_once(name: str, length: int):
    inputs = inputs_of(name)
    data = words(32, length) + bytes(1 << 20)
    began = time.thread_time()
    assert decode(inputs, data) is None
    assert time.thread_time() - began < 0.1


@pytest.mark.parametrize("name", [f"uint8[{10**50}]", f"bytes[{10**50}]"])
def test_a_fixed_array_beyond_the_data_is_refused_at_once(name: str):
    inputs = inputs_of(name)
    began = time.thread_time()
    assert decode(inputs, words(32) + bytes(1 << 20)) is None
    assert encode(inputs, ((1, 2),)) is None
    assert time.thread_time() - began < 0.1


@pytest.mark.parametrize("array", ["", "[]", "[1]", "[2][]"])
@pytest.mark.parametrize("leaf", ["uint8", "string"])
def test_structs_in_structs_take_time_by_their_values(leaf: str, array: str):
    """With eth-abi each of the 64 doubled the time."""
    abi_type = type_of(leaf)
    argument: Any = 7 if leaf == "uint8" else b"seven"
    for level in range(64):
        abi_type = Tuple((abi_type,), ("",))
        argument = (argument,)
        if array and level % 8 == 0:
            abi_type = type_around(abi_type, array)
            argument = {"[2][]": ((argument, argument),)}.get(array, (argument,))
    inputs = Tuple((abi_type,), ("",))
    began = time.thread_time()
    data = encode_arguments(inputs, (argument,))
    assert decode_arguments(inputs, data) == (argument,)
    assert time.thread_time() - began < 20


def type_around(abi_type: AbiType, array: str) -> AbiType:
    for length in array[1:-1].split("]["):
        abi_type = Array(abi_type, int(length) if length else None)
    return abi_type


@pytest.mark.parametrize("array", ["[]", "[1]"])
@pytest.mark.parametrize("leaf", ["uint8", "string", "(uint8,string)"])
def test_arrays_in_arrays_are_as_those_of_eth_abi(leaf: str, array: str):
    inputs = inputs_of(leaf + array * 64)
    argument: Any = {"uint8": 7, "string": b"seven"}.get(leaf, (7, b"seven"))
    for _ in range(64):
        argument = (argument,)
    data = encode_arguments(inputs, (argument,))
    assert data == eth_abi_encode(inputs, (argument,))
    assert same_decoding(inputs, data) == (argument,)


def test_elements_may_share_a_tail():
    inputs = inputs_of("uint8[][][]")
    inner = [20, *[20 * 32] * 20]
    data = words(32, *inner, *inner, 1, 9)
    assert same_decoding(inputs, data) == ((((9,),) * 20,) * 20,)
