"""Foundry's cheatcodes: which there are, and which of them some code calls."""

from __future__ import annotations

import pytest
from eth_hash.auto import keccak
from solc import compile_solidity

from echidna_mcp.program.cheatcodes import cheatcodes_in, foundry_cheatcodes

SOURCE = """
interface Vm {
    function prank(address) external;
    function warp(uint256) external;
    function assertEq(uint256, uint256, string calldata) external pure;
    function never(uint256) external;
}
contract C {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint public x;
    function f(uint y) external { vm.prank(address(1)); vm.warp(y); x = y; }
    function g(uint y) external { vm.assertEq(x, y, "same"); vm.never(x); }
}
"""


def test_each_selector_is_that_of_its_signature():
    table = foundry_cheatcodes()
    assert len(table) == 605
    for each in table:
        assert each.selector == keccak(each.signature.encode())[:4], each
    assert [x.signature for x in table] == sorted({x.signature for x in table})


@pytest.mark.solc
@pytest.mark.parametrize("settings", ["", "--optimize", "--optimize --via-ir"])
def test_those_that_a_contract_calls_are_found(settings):
    program = compile_solidity(SOURCE, "C", solc_args=settings)
    found = [x.signature for x in cheatcodes_in(program.main_contract.creation_code)]
    expected = ["assertEq(uint256,uint256,string)", "prank(address)", "warp(uint256)"]
    assert found == expected


def test_code_without_any_has_none():
    assert cheatcodes_in(b"") == []
    assert cheatcodes_in(bytes(range(256)) * 4) == []
    assert cheatcodes_in(bytes.fromhex("60e01b")) == []
