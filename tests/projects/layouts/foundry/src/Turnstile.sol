// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Counting} from "counting/Counting.sol";

contract Turnstile {
    using Counting for Counting.Count;

    Counting.Count public people;

    function enter(uint8 group) external {
        people.up += group;
    }

    function leave(uint8 group) external {
        require(people.value() >= group);
        // The bug: a large group is counted short.
        people.down += group > 200 ? 200 : group;
        left += group;
    }

    uint256 public left;
}
