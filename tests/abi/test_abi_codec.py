from __future__ import annotations

import subprocess
import sys
from typing import Any

import eth_abi.abi
import pytest
from abi_strategies import calls, parameters, values
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.abi.encoding import (
    decode_arguments,
    decode_call,
    encode_arguments,
    encode_call,
)
from echidna_mcp.abi.function import functions_of
from echidna_mcp.abi.types import (
    AbiType,
    Array,
    Elementary,
    Tuple,
    parse_parameters,
    type_name,
)
from echidna_mcp.abi.values import Value
from echidna_mcp.errors import InvalidInputError


def for_eth_abi(abi_type: AbiType, value: Value) -> Any:
    """The value as eth-abi wants it for the type under its real name."""
    match abi_type:
        case Array(element=element):
            assert isinstance(value, tuple)
            return [for_eth_abi(element, item) for item in value]
        case Tuple(members=members):
            assert isinstance(value, tuple)
            return tuple(map(for_eth_abi, members, value))
        case Elementary(name="address"):
            return f"0x{value:040x}"
        case Elementary(name="string"):
            assert isinstance(value, bytes)
            return value.decode()
        case _:
            return value


def is_text(abi_type: AbiType, value: Value) -> bool:
    match abi_type:
        case Array(element=element):
            assert isinstance(value, tuple)
            return all(is_text(element, item) for item in value)
        case Tuple(members=members):
            assert isinstance(value, tuple)
            return all(map(is_text, members, value))
        case Elementary(name="string"):
            assert isinstance(value, bytes)
            return value.decode("utf-8", "ignore").encode() == value
        case _:
            return True


@given(st.data())
def test_encoding_equals_eth_abi_under_the_real_type_names(data: st.DataObject) -> None:
    inputs = data.draw(parameters())
    value = data.draw(values(inputs).filter(lambda v: is_text(inputs, v)))
    assert isinstance(value, tuple)
    types = [type_name(member) for member in inputs.members]
    expected = eth_abi.abi.encode(types, for_eth_abi(inputs, value))
    assert encode_arguments(inputs, value) == expected


@given(calls())
def test_decoding_returns_what_was_encoded(call: Any) -> None:
    function, arguments = call
    assert decode_call(function, encode_call(function, arguments)) == arguments


@given(parameters(), st.binary(max_size=300))
def test_junk_is_either_decoded_or_refused(inputs: Tuple, data: bytes) -> None:
    try:
        decoded = decode_arguments(inputs, data)
    except InvalidInputError:
        return
    # What was accepted holds values of the types, so it can be encoded again.
    assert decode_arguments(inputs, encode_arguments(inputs, decoded)) == decoded


@pytest.mark.parametrize("word", [b"\xff" * 32, b"\x7f" + b"\xff" * 31])
def test_an_offset_beyond_all_memory_is_refused(word: bytes) -> None:
    inputs = parse_parameters([{"type": "bytes"}])
    with pytest.raises(InvalidInputError, match=r"no encoding of \(bytes\)"):
        decode_arguments(inputs, word + bytes(64))


@pytest.mark.parametrize("value", [256, -1, b"\0", (1,)])
def test_a_value_that_does_not_fit_is_refused(value: Value) -> None:
    inputs = parse_parameters([{"type": "uint8"}])
    with pytest.raises(InvalidInputError, match=r"do not fit \(uint8\)"):
        encode_arguments(inputs, (value,))


def test_calldata_of_another_function_is_refused() -> None:
    (function,) = functions_of([{"type": "function", "name": "f", "inputs": []}])
    with pytest.raises(InvalidInputError, match=r"not the selector of f\(\)"):
        decode_call(function, b"\1\2\3\4")


def test_fallback_carries_raw_calldata_and_receive_carries_none() -> None:
    fallback, receive = functions_of([{"type": "receive"}, {"type": "fallback"}])
    assert encode_call(fallback, (b"\1\2\3",)) == b"\1\2\3"
    assert decode_call(fallback, b"\1\2\3") == (b"\1\2\3",)
    assert encode_call(receive, ()) == b""
    assert decode_call(receive, b"") == ()


@pytest.mark.parametrize("command", ["run", "serve"])
def test_no_program_waits_for_what_eth_abi_loads(command: str) -> None:
    """They are what each process took longest to load."""
    code = f"import sys, echidna_mcp.cli.commands.{command}; print(*sys.modules)"
    shown = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert "echidna_mcp.abi.codec" in shown
    assert not {"eth_abi", "eth_utils", "pydantic"} & set(shown)
