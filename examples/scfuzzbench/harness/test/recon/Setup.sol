// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Savings} from "../../src/Savings.sol";

/// @notice What is deployed, who acts, and how a check fails: it says why, as Chimera's
/// `CryticAsserts` do, and then fails an `assert`.
abstract contract Setup {
    event Log(string);

    Savings internal savings;
    address[2] internal actors = [address(0xA11CE), address(0xB0B)];
    address internal actor;

    function setup() internal {
        savings = new Savings();
        actor = actors[0];
    }

    function t(bool holds, string memory reason) internal {
        if (!holds) {
            emit Log(reason);
            assert(false);
        }
    }

    function between(uint256 value, uint256 low, uint256 high)
        internal
        pure
        returns (uint256)
    {
        return value < low || value > high ? low + value % (high - low + 1) : value;
    }
}
