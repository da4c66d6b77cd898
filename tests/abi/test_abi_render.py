from __future__ import annotations

from typing import Any

import pytest
from abi_strategies import calls
from hypothesis import example, given, settings
from hypothesis import strategies as st

from echidna_mcp.abi.call_text import parse_call
from echidna_mcp.abi.encoding import encode_call
from echidna_mcp.abi.function import functions_of
from echidna_mcp.abi.render import quote, render_arguments, render_call, render_value
from echidna_mcp.abi.types import parse_parameter
from echidna_mcp.abi.values import HOLE, Value


@settings(max_examples=300)
@given(calls())
def test_rendered_calls_are_read_back_without_loss(call: Any) -> None:
    function, arguments = call
    text = render_call(function, encode_call(function, arguments))
    parsed = parse_call(text, [function])
    assert parsed.function == function
    assert parsed.arguments == arguments
    assert [*map(type, parsed.arguments)] == [*map(type, arguments)]


@given(calls())
def test_rendered_calls_stay_on_one_printable_line(call: Any) -> None:
    function, arguments = call
    text = render_call(function, encode_call(function, arguments))
    assert text.isprintable()
    text.encode()


@given(st.binary())
@example("\u202e right to left \ud7ff".encode())
@example(b"\xed\xa0\x80 is an encoded surrogate")
def test_quoted_bytes_are_read_back_without_loss(data: bytes) -> None:
    (function,) = functions_of([{"name": "f", "inputs": [{"type": "string"}]}])
    assert parse_call(f"f({quote(data)})", [function]).arguments == (data,)


@pytest.mark.parametrize(
    ("type_text", "value", "text"),
    [
        ("address", 0x10000, "0x0000000000000000000000000000000000010000"),
        ("uint256", 100, "100"),
        ("int8", -128, "-128"),
        ("bool", True, "true"),
        ("bytes", b"", "0x"),
        ("bytes3", b"\1\2\3", "0x010203"),
        ("string", 'a "é"\n\x00'.encode() + b"\xff", '"a \\"é\\"\\n\\x00\\xff"'),
        ("uint8[2][]", ((1, 2), (3, 4)), "[[1, 2], [3, 4]]"),
        ("function", bytes(24), "0x" + "00" * 24),
    ],
)
def test_values_look_like_solidity(type_text: str, value: Value, text: str) -> None:
    assert render_value(parse_parameter({"type": type_text}), value) == text


def test_calls_look_like_solidity() -> None:
    point = [{"type": "uint8"}, {"type": "address"}]
    inputs = [{"type": "tuple", "components": point}, {"type": "bool"}]
    (function,) = functions_of([{"name": "f", "inputs": inputs}])
    arguments = ((1, 2), False)
    text = f"f((1, 0x{2:040x}), false)"
    assert render_call(function, encode_call(function, arguments)) == text
    assert render_arguments(function, ((1, 2), HOLE)) == text.replace("false", "?")


def test_fallback_and_receive_are_rendered_and_read_back() -> None:
    functions = functions_of([{"type": "fallback"}, {"type": "receive"}])
    fallback, receive = functions
    assert render_call(fallback, b"\xca\xfe") == "fallback(0xcafe)"
    assert render_call(receive, b"") == "receive()"
    assert parse_call("fallback(0xcafe)", functions).arguments == (b"\xca\xfe",)
    assert parse_call("receive()", functions).function == receive
