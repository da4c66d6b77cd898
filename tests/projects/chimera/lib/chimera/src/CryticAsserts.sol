// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

import {Asserts} from "./Asserts.sol";

/// @notice Says why in an event, and fails an `assert`, as Echidna and Medusa know it.
contract CryticAsserts is Asserts {
    event Log(string);

    function t(bool holds, string memory reason) internal virtual override {
        if (!holds) {
            emit Log(reason);
            assert(false);
        }
    }

    function eq(uint256 a, uint256 b, string memory reason) internal virtual override {
        t(a == b, reason);
    }

    function gt(uint256 a, uint256 b, string memory reason) internal virtual override {
        t(a > b, reason);
    }

    function gte(uint256 a, uint256 b, string memory reason) internal virtual override {
        t(a >= b, reason);
    }

    function lt(uint256 a, uint256 b, string memory reason) internal virtual override {
        t(a < b, reason);
    }

    function lte(uint256 a, uint256 b, string memory reason) internal virtual override {
        t(a <= b, reason);
    }

    function precondition(bool holds) internal virtual override {
        require(holds);
    }

    function between(uint256 value, uint256 low, uint256 high)
        internal
        virtual
        override
        returns (uint256)
    {
        return value < low || value > high ? low + value % (high - low + 1) : value;
    }
}
