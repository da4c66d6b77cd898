// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Tickets of shows and seats, whose numbers are of another width in each function.
contract Tickets {
    mapping(uint256 => mapping(uint256 => uint256)) private stage;
    bool public refunded;

    function print(uint16 show, uint16 seat) external {
        require(stage[show][seat] == 0);
        stage[show][seat] = 1;
    }

    function sell(uint256 show, uint256 seat) external {
        require(stage[show][seat] == 1);
        stage[show][seat] = 2;
    }

    function admit(uint24 show, uint32 seat) external {
        require(stage[show][seat] == 2);
        stage[show][seat] = 3;
    }

    function refund(uint256 show, uint64 seat) external {
        require(stage[show][seat] == 3);
        refunded = true;
    }

    function echidna_who_was_in_has_paid() external view returns (bool) {
        return !refunded;
    }
}
