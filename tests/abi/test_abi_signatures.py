from __future__ import annotations

import pytest
from abi_strategies import functions
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.abi.call_text import match_functions, parse_signature
from echidna_mcp.abi.function import AbiFunction, functions_of
from echidna_mcp.abi.types import type_name
from echidna_mcp.errors import CallSyntaxError

TOKEN = functions_of(
    [
        {"name": "mint", "inputs": [{"type": "uint256"}]},
        {"name": "mint", "inputs": [{"type": "address"}, {"type": "uint256"}]},
        {"name": "stop", "inputs": []},
        {"name": "stop", "inputs": [{"type": "bool"}]},
        {"type": "receive"},
    ]
)


@pytest.mark.parametrize(
    ("text", "parsed"),
    [
        ("transfer", ("transfer", None)),
        ("transfer()", ("transfer", ())),
        ("transfer(address,uint256)", ("transfer", ("address", "uint256"))),
        (" transfer ( address , uint ) ", ("transfer", ("address", "uint256"))),
        ("f(int[ ],bytes32)", ("f", ("int256[]", "bytes32"))),
        ("f((uint256,address)[])", ("f", ("(uint256,address)[]",))),
        ("f(tuple(uint,(bool)[3])[][2])", ("f", ("(uint256,(bool)[3])[][2]",))),
        ("$f(function)", ("$f", ("function",))),
    ],
)
def test_signatures_become_canonical(
    text: str, parsed: tuple[str, tuple[str, ...] | None]
) -> None:
    assert parse_signature(text) == parsed


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("1f()", 0),
        ("f(", 2),
        ("f(uint256", 9),
        ("f(uint7)", 2),
        ("f(payable)", 2),
        ("f(,)", 2),
        ("f(uint256,)", 10),
        ("f(uint256) x", 11),
        ("f(uint256[0])", 10),
        ("f(uint256[x])", 10),
        ("f(uint256[-1])", 10),
        ("f(address to)", 10),
        ("f(" * 70, 2),
        ("f" + "(" * 100, 66),
        ("f(uint" + "9" * 5000 + ")", 2),
        ('f("', 2),
    ],
)
def test_anything_else_is_a_syntax_error(text: str, position: int) -> None:
    with pytest.raises(CallSyntaxError) as caught:
        parse_signature(text)
    assert caught.value.details["position"] == position
    assert "transfer(address,uint256)" in caught.value.message


@given(st.text(alphabet="fu1t[]()., \"'\ud800", max_size=30))
def test_junk_is_a_syntax_error_and_nothing_else(text: str) -> None:
    try:
        parse_signature(text)
    except CallSyntaxError as error:
        error.message.encode()


@given(functions())
def test_canonical_signatures_are_read_as_they_are(function: AbiFunction) -> None:
    types = tuple(map(type_name, function.inputs.members))
    assert parse_signature(function.signature) == (function.name, types)
    assert match_functions(function.signature, [function]) == (function,)


@pytest.mark.parametrize(
    ("text", "signatures"),
    [
        ("mint", ["mint(address,uint256)", "mint(uint256)"]),
        ("mint()", ["mint(address,uint256)", "mint(uint256)"]),
        ("mint(uint)", ["mint(uint256)"]),
        ("mint(bool)", []),
        ("stop", ["stop()", "stop(bool)"]),
        ("stop()", ["stop()"]),
        ("receive()", ["receive()"]),
        ("nothing", []),
    ],
)
def test_names_match_every_overload_and_signatures_one(
    text: str, signatures: list[str]
) -> None:
    assert sorted(f.signature for f in match_functions(text, TOKEN)) == signatures
