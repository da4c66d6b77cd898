// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice A field of each account: it is sown, watered and reaped in turn, and what is out of
/// turn is the end of all. After 24 turns there is a feast; nothing tells how many there were.
contract Seasons {
    mapping(address => uint256) private turns;
    bool private feasted;

    function sow(uint256 seed) external {
        require(turns[msg.sender] % 3 == 0 && seed != 0);
        turns[msg.sender] += 1;
    }

    function water(uint16 amount) external {
        if (turns[msg.sender] % 3 == 1 && amount % 8 == 3) turns[msg.sender] += 1;
        else turns[msg.sender] = 0;
    }

    function reap() external {
        if (turns[msg.sender] % 3 == 2) turns[msg.sender] += 1;
        else turns[msg.sender] = 0;
    }

    function feast() external {
        // The bit is shifted out: until then the number becomes greater, not less.
        if (uint24(1) << turns[msg.sender] == 0) feasted = true;
    }

    function echidna_nobody_feasts() external view returns (bool) {
        return !feasted;
    }
}
