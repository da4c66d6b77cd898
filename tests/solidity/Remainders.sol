// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice What must be zero: an optimizer compares nothing there, it asks whether a number is.
contract Remainders {
    uint256 private stage;

    function dividesSum(uint256 amount, uint256 fee) external {
        require(amount > 1e6 && fee > 1e9);
        if ((amount * 3 + fee) % 1000003 == 0) stage = 1;
    }

    function matchesLowBits(uint256 word, uint128 factor) external {
        require(stage == 1 && factor != 0);
        if ((word ^ 0xdeadbeefcafebabe) & 0xffffffffffffffff != 0) return;
        if ((uint256(factor) * 7919 + 13) % 2 ** 40 == 0) stage = 2;
    }

    function echidna_bits_do_not_match() external view returns (bool) {
        return stage != 2;
    }
}
