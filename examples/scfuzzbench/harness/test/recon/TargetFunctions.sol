// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Properties} from "./Properties.sol";

/// @notice What is called.
abstract contract TargetFunctions is Properties {
    function switch_actor(uint8 which) public {
        actor = actors[which % actors.length];
    }

    function savings_join(uint256 amount) public {
        amount = between(amount, 1, 1e24);
        uint256 given = savings.join(actor, amount);
        uint256 worth = given * savings.assets() / savings.supply();
        t(worth <= amount, "!!! a share costs less than it is worth");
    }

    function savings_earn(uint256 amount) public {
        savings.earn(between(amount, 1, 1e24));
    }

    function savings_leave(uint256 amount) public {
        uint256 had = savings.assets();
        uint256 paid = savings.leave(actor, between(amount, 0, savings.shares(actor)));
        t(paid <= had, ASSERTION_PAID);
    }

    function assert_canary(uint256 entropy) public {
        t(entropy == 0, ASSERTION_CANARY);
    }
}
