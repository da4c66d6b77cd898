"""Values are written as literals that mean exactly them."""

from __future__ import annotations

import pytest

from echidna_mcp.abi.encoding import encode_call
from echidna_mcp.abi.function import functions_of
from echidna_mcp.exports.literals import (
    address_literal,
    calldata_expression,
    identifier,
    one_line,
)


@pytest.mark.parametrize(
    "address",
    [
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
        "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
        "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
    ],
)
def test_addresses_have_the_checksums_of_eip_55(address: str):
    assert address_literal(int(address, 16)) == address


@pytest.mark.parametrize(
    ("types", "values", "written"),
    [
        (["uint256"], (2**256 - 1,), str(2**256 - 1)),
        (["int8"], (-128,), "-128"),
        (["bool", "address"], (True, 0xDEADBEEF), "true, address(0xdeadbeef)"),
        (["bytes4"], (b"\x01\x02\x03\x04",), 'bytes4(hex"01020304")'),
        (["bytes"], (b"",), 'bytes(hex"")'),
        (["string"], (b"open sesame",), '"open sesame"'),
        (["string"], (b'a "quote"',), f'bytes(hex"{b"a ".hex()}22{b"quote".hex()}22")'),
        (["string"], (b"\xff\n",), 'bytes(hex"ff0a")'),
    ],
)
def test_elementary_arguments_are_written_out(types, values, written):
    function = function_of(types)
    signature = f"f({','.join(types)})"
    expression = calldata_expression(function, encode_call(function, values))
    assert expression == f'abi.encodeWithSignature("{signature}", {written})'


def test_what_has_no_literals_is_hexadecimal():
    function = function_of(["uint256[]"])
    calldata = encode_call(function, ((1, 2),))
    assert calldata_expression(function, calldata) == f'hex"{calldata.hex()}"'


def test_calldata_that_no_values_encode_to_is_hexadecimal():
    function = function_of(["bool"])
    calldata = encode_call(function, (True,)) + b"\x00"
    assert calldata_expression(function, calldata) == f'hex"{calldata.hex()}"'


def test_comments_stay_on_their_line():
    text = one_line("a\nb\r\u2028\u202e\x00é")
    assert text == r"a\nb\r\u2028\u202e\x00\xe9"


def test_names_come_from_signatures():
    assert identifier("withdraw(uint256,address[])") == "withdraw_uint256_address"
    assert identifier("AssertionFailed(..)") == "AssertionFailed"
    assert identifier("…") == "unnamed"


def function_of(types):
    inputs = [{"name": "", "type": each} for each in types]
    (function,) = functions_of([{"type": "function", "name": "f", "inputs": inputs}])
    return function
