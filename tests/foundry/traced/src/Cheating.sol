// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

interface Hevm {
    function warp(uint256) external;
    function roll(uint256) external;
    function deal(address, uint256) external;
    function store(address, bytes32, bytes32) external;
    function load(address, bytes32) external view returns (bytes32);
    function prank(address) external;
    function startPrank(address, address) external;
    function stopPrank() external;
    function etch(address, bytes calldata) external;
    function label(address, string calldata) external;
    function addr(uint256) external pure returns (address);
    function sign(uint256, bytes32) external pure returns (uint8, bytes32, bytes32);
    function getNonce(address) external view returns (uint64);
}

contract Witness {
    event Seen(address by, address origin, uint256 time);

    uint256 internal secret = 42;

    function see() external payable returns (bytes32) {
        emit Seen(msg.sender, tx.origin, block.timestamp);
        return blockhash(block.number - 1) & 0;
    }
}

/// Cheatcodes in a target that is no suite of Foundry.
contract Cheating {
    Hevm internal constant hevm = Hevm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    Witness internal witness = new Witness();
    uint256 internal cheated;

    function cheat(uint8 number) external {
        hevm.deal(address(0xa11ce), 5 ether);
        hevm.prank(address(0xa11ce));
        witness.see{value: 1 ether}();
        hevm.startPrank(address(0xb0b), address(0xcafe));
        witness.see();
        witness.see();
        hevm.stopPrank();
        hevm.warp(block.timestamp + 1 days);
        hevm.roll(block.number + number);
        hevm.store(address(witness), 0, bytes32(uint256(43)));
        hevm.load(address(witness), 0);
        hevm.etch(address(0xf00d), address(witness).code);
        Witness(address(0xf00d)).see();
        (uint8 v, bytes32 r, bytes32 s) = hevm.sign(1, keccak256("text"));
        require(ecrecover(keccak256("text"), v, r, s) == hevm.addr(1));
        hevm.getNonce(address(witness));
        cheated += number;
    }

    function check() external view {
        assert(cheated < 2);
    }
}
