// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Setup} from "./Setup.sol";

/// @notice What holds after any calls. Global properties are called as other functions
/// and fail assertions.
abstract contract Properties is Setup {
    string internal constant ASSERTION_PAID = "!!! more is paid than the shares are worth";
    string internal constant ASSERTION_CANARY = "!!! canary: assertion";

    function invariant_shares_add_up() public returns (bool) {
        uint256 sum = savings.shares(actors[0]) + savings.shares(actors[1]);
        t(sum == savings.supply(), "shares do not add up to the supply");
        return true;
    }

    function invariant_nobody_is_paid_without_savings() public returns (bool) {
        t(savings.supply() > 0 || savings.assets() == 0, "assets are left over");
        return true;
    }

    function invariant_canary() public returns (bool) {
        t(false, "canary: global property");
        return true;
    }
}
