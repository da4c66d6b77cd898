// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

import {Test} from "forge-std/Test.sol";

import {Asserts} from "./Asserts.sol";

/// @notice Asserts with the cheatcodes of Foundry.
contract FoundryAsserts is Test, Asserts {
    function t(bool holds, string memory reason) internal virtual override {
        assertTrue(holds, reason);
    }

    function eq(uint256 a, uint256 b, string memory reason) internal virtual override {
        assertEq(a, b, reason);
    }

    function gt(uint256 a, uint256 b, string memory reason) internal virtual override {
        assertGt(a, b, reason);
    }

    function gte(uint256 a, uint256 b, string memory reason) internal virtual override {
        assertGe(a, b, reason);
    }

    function lt(uint256 a, uint256 b, string memory reason) internal virtual override {
        assertLt(a, b, reason);
    }

    function lte(uint256 a, uint256 b, string memory reason) internal virtual override {
        assertLe(a, b, reason);
    }

    function precondition(bool holds) internal virtual override {
        vm.assume(holds);
    }

    function between(uint256 value, uint256 low, uint256 high)
        internal
        virtual
        override
        returns (uint256)
    {
        return bound(value, low, high);
    }
}
