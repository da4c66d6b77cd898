// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

import {Asserts} from "./Asserts.sol";

contract CryticAsserts is Asserts {
    event Log(string);

    function eq(uint256 a, uint256 b, string memory reason) internal virtual override {
        if (a != b) _fail(reason);
    }

    function lte(uint256 a, uint256 b, string memory reason) internal virtual override {
        if (a > b) _fail(reason);
    }

    function between(uint256 value, uint256 low, uint256 high)
        internal
        virtual
        override
        returns (uint256)
    {
        return value < low || value > high ? low + value % (high - low + 1) : value;
    }

    function _fail(string memory reason) private {
        emit Log(reason);
        assert(false);
    }
}
