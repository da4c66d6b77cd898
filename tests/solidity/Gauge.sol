// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Leaks a tenth with each call: it takes two dozen in a row that pour in nearly all
/// they can to fill it, and only what the property compares tells how full it is.
contract Gauge {
    uint256 private level;

    function pour(uint256 amount) external {
        level = level * 9 / 10 + amount % 1e20;
    }

    function stir(uint256 turns) external {
        level -= level * (turns % 7) / 100;
    }

    function echidna_has_room() external view returns (bool) {
        return level < 9e20;
    }
}
