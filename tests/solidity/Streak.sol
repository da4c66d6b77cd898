// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A streak of right moves for each account: neither code nor a fixed slot tells its length.
contract Streak {
    mapping(address => uint256) private streak;
    bool public broken;

    function move(uint8 way) external {
        uint256 done = streak[msg.sender];
        streak[msg.sender] = way % 4 == (done * 5 + 3) % 4 ? done + 1 : 0;
    }

    function claim() external {
        require(streak[msg.sender] == 6);
        broken = true;
    }

    function echidna_unclaimed() external view returns (bool) {
        return !broken;
    }
}
