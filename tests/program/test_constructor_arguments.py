"""Constructor arguments in their three forms, against eth-abi."""

from __future__ import annotations

import json
from typing import Any

import pytest
from abi_strategies import parameters, values
from eth_abi import encode
from hypothesis import assume, given
from hypothesis import strategies as st

from echidna_mcp.abi.type_program import (
    KIND_BOOL,
    KIND_INT,
    KIND_STRING,
    KIND_UINT,
)
from echidna_mcp.abi.types import AbiType, Array, Elementary, Tuple, type_name
from echidna_mcp.errors import TargetError
from echidna_mcp.program.arguments import constructor_arguments, named_arguments
from echidna_mcp.program.model import Contract, Program

INPUTS = [
    {"name": "owner", "type": "address"},
    {"name": "fee", "type": "uint256"},
    {
        "name": "limits",
        "type": "tuple[]",
        "components": [
            {"name": "low", "type": "int64"},
            {"name": "note", "type": "string"},
        ],
    },
]


def contract_of(inputs: list[dict[str, Any]], name: str = "Vault") -> Contract:
    abi = ({"type": "constructor", "inputs": inputs, "stateMutability": "payable"},)
    return Contract(
        name=name, source="A.sol", abi=abi, creation_code=b"\0", runtime_code=b"\0"
    )


def encoded(given: Any, **deployed: int) -> bytes:
    return constructor_arguments(contract_of(INPUTS), json.dumps(given), deployed)


OWNER = "0x" + "00" * 19 + "42"
SIGNATURE = "constructor(address,uint256,(int64,string)[])"
EXPECTED = encode(
    ["address", "uint256", "(int64,string)[]"],
    [OWNER, 2000, [(-5, 'a "b"\n'), (7, "é😀")]],
)


@pytest.mark.parametrize(
    "written",
    [
        f"{OWNER}, 2e3, " + r'[(-5, "a \"b\"\n"), (7, "é😀")]',
        r'DeployedContract:Token, 2000, [(-5, "a \"b\"\n"), (7, "é😀")]',
        [OWNER, "2e3", [["-5", 'a "b"\n'], [7, "é😀"]]],
        {
            "limits": [{"note": 'a "b"\n', "low": -5}, {"low": "7", "note": "é😀"}],
            "fee": 2000,
            "owner": "DeployedContract:Token",
        },
        [0x42, "2000", [["-5", 'a "b"\n'], ["7", "é😀"]]],
    ],
    ids=["call", "named", "list", "object", "numbers"],
)
def test_all_forms_of_the_same_arguments_are_encoded_alike(written):
    assert encoded(written, Token=0x42) == EXPECTED


def test_a_string_may_read_like_the_name_of_a_contract():
    inputs = [{"name": "", "type": "string"}]
    text = json.dumps('"DeployedContract:Nobody"')
    found = constructor_arguments(contract_of(inputs), text, {})
    assert found == encode(["string"], ["DeployedContract:Nobody"])


def as_parameter(kind: AbiType, name: str) -> dict[str, Any]:
    """Return the entry of a JSON ABI for a type."""
    suffix = ""
    while isinstance(kind, Array):
        suffix = f"[{'' if kind.length is None else kind.length}]" + suffix
        kind = kind.element
    if isinstance(kind, Tuple):
        members = zip(kind.members, kind.names, strict=True)
        components = [as_parameter(each, label) for each, label in members]
        return {"name": name, "type": f"tuple{suffix}", "components": components}
    return {"name": name, "type": f"{type_name(kind)}{suffix}"}


def as_json(value: Any, kind: AbiType, *, named: bool) -> Any:
    """Return a value as people write it into a configuration."""
    match kind:
        case Tuple():
            members = zip(value, kind.members, strict=True)
            found = [as_json(each, member, named=named) for each, member in members]
            return dict(zip(kind.names, found, strict=True)) if named else found
        case Array():
            return [as_json(each, kind.element, named=named) for each in value]
        case Elementary(kind=leaf):
            return _leaf_as_json(value, leaf)


def _leaf_as_json(value: Any, leaf: int) -> bool | str:
    if leaf == KIND_BOOL:
        return bool(value)
    if leaf in (KIND_UINT, KIND_INT):
        return str(value)
    if leaf == KIND_STRING:
        return value.decode()
    return f"0x{value:040x}" if isinstance(value, int) else f"0x{value.hex()}"


def as_eth_abi(value: Any, kind: AbiType) -> Any:
    match kind:
        case Tuple():
            members = zip(value, kind.members, strict=True)
            return tuple(as_eth_abi(each, member) for each, member in members)
        case Array():
            return [as_eth_abi(each, kind.element) for each in value]
        case Elementary(kind=leaf, name=name):
            if leaf == KIND_STRING:
                return value.decode()
            return f"0x{value:040x}" if name == "address" else value


def has_text(value: Any, kind: AbiType) -> bool:
    """Whether all strings are UTF-8, so that JSON can hold them."""
    match kind:
        case Tuple():
            members = zip(value, kind.members, strict=True)
            return all(has_text(each, member) for each, member in members)
        case Array():
            return all(has_text(each, kind.element) for each in value)
        case Elementary(kind=leaf):
            return (
                leaf != KIND_STRING or value.decode(errors="replace").encode() == value
            )


@given(data=st.data(), inputs=parameters(), named=st.booleans())
def test_values_of_every_type_are_encoded_as_eth_abi_does(data, inputs, named):
    given_values = data.draw(values(inputs))
    assume(has_text(given_values, inputs))
    written = as_json(given_values, inputs, named=named)
    entry = as_parameter(inputs, "")
    contract = contract_of(entry["components"])
    names = [type_name(member) for member in inputs.members]
    names = [name.replace("function", "bytes24") for name in names]
    expected = encode(names, as_eth_abi(given_values, inputs))
    assert constructor_arguments(contract, json.dumps(written), {}) == expected


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (["0x1"], f"{SIGNATURE} takes 3 values, not 1."),
        (
            {"owner": 1, "fe": 2, "limits": []},
            f"{SIGNATURE} has no parameter 'fe'; did you mean fee?",
        ),
        ({"owner": 1, "fee": 2}, f"{SIGNATURE} lacks a value for 'limits'."),
        ([1, -2, []], "Argument 2 `fee` of constructor("),
        ([1, 2, 3], "3 must be a list for (int64,string)[]."),
        ([1, [2], []], "[2] is no uint256."),
        (5, "5 must be a list or an object for constructor("),
        (
            ["DeployedContract:Tokn", 1, []],
            "names nothing that was deployed before; did you mean Token?",
        ),
        ("0x1, 2", "takes 3 arguments, but the call has 2."),
        ("?, 2, []", "`?` stands for what the fuzzer chooses in a call;"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(written, message):
    with pytest.raises(TargetError) as caught:
        encoded(written, Token=0x42)
    assert caught.value.message.startswith("constructorArgs of Vault: ")
    assert message in caught.value.message


def test_the_command_line_names_another_contract_or_means_the_target():
    vault, token = contract_of(INPUTS), contract_of([], "Token")
    program = Program(contracts=(token, vault), main="A.sol:Vault")
    assert named_arguments("Token(1, (2))", program) == ("Token", '"1, (2)"')
    assert named_arguments("A.sol:Token()", program) == ("A.sol:Token", '""')
    assert named_arguments("address(5), 1", program) == (
        "A.sol:Vault",
        '"address(5), 1"',
    )
    assert named_arguments("uint8(5)", program) == ("A.sol:Vault", '"uint8(5)"')
