// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Whether a pledge is worth its loan is asked when somebody borrows, and it must be,
/// and when it is seized, and it must not be. Amounts have 18 decimals.
contract Pledges {
    uint256 private constant WHOLE = 1000 ether;

    mapping(address => uint256) private worth;
    mapping(address => uint256) private owed;
    bool private seized;

    function pledge() external {
        worth[msg.sender] = WHOLE;
        owed[msg.sender] = 0;
    }

    function borrow(uint256 amount) external {
        owed[msg.sender] += amount;
        require(isSound(msg.sender), "unsound");
        require(owed[msg.sender] <= 4 * WHOLE / 10, "too much");
    }

    function move(uint8 way) external {
        uint256 left = worth[msg.sender];
        require(left != 0, "no pledge");
        worth[msg.sender] = way % 4 == (left / 1 ether) % 3 ? left - left / 10 : WHOLE;
    }

    function seize() external {
        require(owed[msg.sender] != 0, "no loan");
        require(!isSound(msg.sender), "sound");
        seized = true;
    }

    function isSound(address who) private view returns (bool) {
        return owed[who] <= worth[who];
    }

    function echidna_nothing_is_seized() external view returns (bool) {
        return !seized;
    }
}
