"""The start state that the solver begins with, as each EVM tells it."""

from __future__ import annotations

from typing import Final

import pytest
from campaigns import small_config
from native_backends import named
from solc import compile_solidity

from echidna_mcp.campaign.start_state import start_state
from echidna_mcp.program.target import build_target
from echidna_mcp_plugins.py_evm import PY_EVM

SET_UP: Final = """
interface Vm {
    function warp(uint256) external;
    function roll(uint256) external;
    function fee(uint256) external;
    function chainId(uint256) external;
    function coinbase(address) external;
    function prevrandao(bytes32) external;
    function blobBaseFee(uint256) external;
    function deal(address, uint256) external;
    function etch(address, bytes calldata) external;
    function store(address, bytes32, bytes32) external;
    function startPrank(address) external;
}

contract Kept { uint256 public kept = 5; }

contract Changed {
    Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    Kept made = new Kept();
    mapping(address => uint256) owed;

    constructor() {
        owed[msg.sender] = 7;
        vm.warp(1_900_000_000);
        vm.roll(12_345_678);
        vm.fee(31);
        vm.chainId(137);
        vm.coinbase(address(0xC01));
        vm.prevrandao(bytes32(uint256(99)));
        vm.blobBaseFee(20_000_000);
        vm.deal(address(0xDEA1), 3 ether);
        vm.etch(address(0xE7C4), hex"600160005260206000f3");
        vm.store(address(made), bytes32(uint256(8)), bytes32(uint256(9)));
        vm.startPrank(address(0xFACE));
    }

    function turn() external {}
    function echidna_fine() external pure returns (bool) { return true; }
}
"""


@pytest.mark.parametrize("fork", ["shanghai", "cancun", "osaka"])
def test_every_evm_tells_the_same_start_state(fork: str) -> None:
    program = compile_solidity(SET_UP, "Changed", solc_args="--evm-version shanghai")
    target = build_target(program, small_config(evm_version=fork))
    told = start_state(PY_EVM, target)
    assert start_state(named("compiled"), target) == told
    block = told.block
    assert (block.timestamp, block.number, block.base_fee) == (
        *(1_900_000_000, 12_345_678),
        31,
    )
    assert (block.chain_id, block.coinbase, block.prev_randao) == (137, 0xC01, 99)
    assert (block.blob_base_fee > 1) == (fork != "shanghai")
    assert told.accounts[0xDEA1].balance == 3 * 10**18
    assert told.accounts[0xE7C4].code
