// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Whether a position is sound is asked when it is opened, where it must be, and when it is seized.
contract Margin {
    mapping(address => uint256) private worth;
    mapping(address => uint256) private debt;
    bool public seized;

    function open(uint16 amount) external {
        worth[msg.sender] = 1000;
        debt[msg.sender] = amount;
        require(isSound(msg.sender));
        require(amount <= 400);
    }

    function move(uint8 way) external {
        uint256 left = worth[msg.sender];
        if (left < 100) return;
        worth[msg.sender] = way % 4 == (left / 100) % 3 ? left - 100 : 1000;
    }

    function seize() external {
        require(debt[msg.sender] != 0);
        require(!isSound(msg.sender));
        seized = true;
    }

    function isSound(address who) private view returns (bool) {
        return debt[who] <= worth[who];
    }

    function echidna_unseized() external view returns (bool) {
        return !seized;
    }
}
