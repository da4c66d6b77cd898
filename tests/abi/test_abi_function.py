from __future__ import annotations

import pytest

from echidna_mcp.abi.function import functions_of, selector_of
from echidna_mcp.errors import TargetError

TRANSFER = {
    "type": "function",
    "name": "transfer",
    "inputs": [
        {"name": "to", "type": "address"},
        {"name": "amount", "type": "uint256"},
    ],
    "outputs": [{"name": "", "type": "bool"}],
    "stateMutability": "nonpayable",
}
DEPOSIT = {
    "type": "function",
    "name": "deposit",
    "inputs": [],
    "outputs": [],
    "stateMutability": "payable",
}
SPECIALS = [
    {"type": "receive", "stateMutability": "payable"},
    {"type": "fallback", "stateMutability": "nonpayable"},
]


def test_selectors_are_those_of_known_functions() -> None:
    # The ERC-20 and ERC-721 selectors, as listed in their standards.
    assert selector_of("transfer(address,uint256)").hex() == "a9059cbb"
    assert selector_of("balanceOf(address)").hex() == "70a08231"
    assert selector_of("safeTransferFrom(address,address,uint256)").hex() == "42842e0e"


def test_functions_come_in_selector_order_with_the_special_ones_last() -> None:
    entries = [*SPECIALS, DEPOSIT, TRANSFER, {"type": "event", "name": "E"}]
    functions = functions_of(entries)
    assert [f.signature for f in functions] == [
        "transfer(address,uint256)",
        "deposit()",
        "fallback()",
        "receive()",
    ]
    assert functions == functions_of(reversed(entries))
    assert functions[0].inputs.names == ("to", "amount")


def test_mutability_is_read_from_old_compilers_too() -> None:
    entries = [
        {"name": "a", "inputs": [], "payable": True},
        {"name": "b", "inputs": [], "constant": True},
        {"name": "c", "inputs": [], "constant": False, "payable": False},
        {"name": "d", "inputs": [], "stateMutability": "pure"},
    ]
    found = {f.name: f.mutability for f in functions_of(entries)}
    assert found == {"a": "payable", "b": "view", "c": "nonpayable", "d": "pure"}


def test_structs_take_part_in_signatures_as_tuples() -> None:
    point = [{"name": "x", "type": "uint"}, {"name": "y", "type": "int8"}]
    inputs = [{"name": "p", "type": "tuple[2][]", "components": point}]
    (function,) = functions_of([{"name": "f", "inputs": inputs}])
    assert function.signature == "f((uint256,int8)[2][])"


@pytest.mark.parametrize("library_type", ["Lib.Data storage", "Lib.Color", "Color"])
def test_library_functions_without_calldata_encoding_are_left_out(
    library_type: str,
) -> None:
    entry = {"name": "f", "inputs": [{"name": "d", "type": library_type}]}
    assert functions_of([entry]) == ()


def test_a_type_that_does_not_exist_is_named() -> None:
    with pytest.raises(TargetError, match="uint7"):
        functions_of([{"name": "f", "inputs": [{"name": "x", "type": "uint7"}]}])
