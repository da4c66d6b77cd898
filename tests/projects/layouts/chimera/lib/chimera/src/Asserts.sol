// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

abstract contract Asserts {
    function eq(uint256 a, uint256 b, string memory reason) internal virtual;

    function lte(uint256 a, uint256 b, string memory reason) internal virtual;

    function between(uint256 value, uint256 low, uint256 high)
        internal
        virtual
        returns (uint256);
}
