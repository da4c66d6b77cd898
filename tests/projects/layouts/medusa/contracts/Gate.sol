// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Gate {
    address public immutable keeper;
    uint8 public immutable most;
    uint256 public inside;

    constructor(address keeper_, uint8 most_) {
        keeper = keeper_;
        most = most_;
    }

    function enter() external {
        require(inside < most);
        inside++;
    }

    function enterAsPair() external {
        // The bug: one of a pair is not counted beforehand.
        require(inside < most);
        inside += 2;
    }

    function leave() external {
        inside--;
    }

    function property_some_are_allowed() external view returns (bool) {
        return most == 7 && uint160(keeper) >> 144 == 0x1234;
    }
}
