// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Four functions that must be called in order, each with a value of its own. The
/// values are hidden from whoever only collects constants: they are results.
contract MagicChain {
    uint256 private stage;
    bytes32 private immutable seed = keccak256("a chain of four");

    function first(uint256 value) external {
        if (stage == 0 && value == secret(1)) stage = 1;
    }

    function second(uint128 value) external {
        if (stage == 1 && value == uint128(secret(2))) stage = 2;
    }

    function third(address value, uint8 low) external {
        if (stage == 2 && uint160(value) == uint160(secret(3)) && low < 128) stage = 3;
    }

    function fourth(bytes32 left, int256 right) external {
        if (stage == 3 && uint256(left) ^ secret(4) == 0 && right == -77_777) stage = 4;
    }

    function echidna_first_is_missing() external view returns (bool) {
        return stage < 1;
    }

    function echidna_chain_is_incomplete() external view returns (bool) {
        return stage < 4;
    }

    function secret(uint256 number) private view returns (uint256) {
        return uint256(keccak256(abi.encode(seed, number)));
    }
}
