// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice A constant of 104 bits, and behind it one of 32 bits.
contract MagicNested {
    uint256 private hits;
    bool private outer;
    bool private inner;

    function open(uint256 key, bytes4 word) external {
        hits++;
        if (key == 0xa3c59d1f60b7e482d95c1e3f71) {
            outer = true;
            if (word == 0x5ee7c0de) inner = true;
        }
    }

    function other(uint256 key, int64 step) external {
        if (key > 1000 && step < 0) hits = 0;
    }

    function echidna_outer_is_shut() external view returns (bool) {
        return !outer;
    }

    function echidna_inner_is_shut() external view returns (bool) {
        return !inner;
    }
}
