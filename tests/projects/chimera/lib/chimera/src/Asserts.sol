// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

/// @notice What a suite asserts; each tool has its way to be told.
abstract contract Asserts {
    function t(bool holds, string memory reason) internal virtual;

    function eq(uint256 a, uint256 b, string memory reason) internal virtual;

    function gt(uint256 a, uint256 b, string memory reason) internal virtual;

    function gte(uint256 a, uint256 b, string memory reason) internal virtual;

    function lt(uint256 a, uint256 b, string memory reason) internal virtual;

    function lte(uint256 a, uint256 b, string memory reason) internal virtual;

    function precondition(bool holds) internal virtual;

    function between(uint256 value, uint256 low, uint256 high)
        internal
        virtual
        returns (uint256);
}
