// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice A board of twelve by twelve squares with traps: on some squares a step throws the piece
/// back to an edge. Each row and each column is reached soon; it takes nineteen steps to have the
/// right ones at once. Nothing compares either number, only their hash.
contract Grid {
    uint256 private row;
    uint256 private column;
    bool private arrived;

    function down() external {
        if (free(1)) row = (row + 1) % 12;
        else row = 0;
    }

    function right() external {
        if (free(2)) column = (column + 1) % 12;
        else column = 0;
    }

    function up() external {
        if (free(3) && row > 0) row -= 1;
        else column = 0;
    }

    function left() external {
        if (free(4) && column > 0) column -= 1;
        else row = 0;
    }

    function look() external {
        bytes32 here = keccak256(abi.encode(row, column));
        if (here == keccak256(abi.encode(uint256(9), uint256(10)))) arrived = true;
    }

    function echidna_never_arrives() external view returns (bool) {
        return !arrived;
    }

    function free(uint256 step) private view returns (bool) {
        return uint256(keccak256(abi.encode(step, row, column))) % 3 != 0;
    }
}
