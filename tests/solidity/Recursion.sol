// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Partner {
    uint256 private returned;

    function pingPong(uint8 rounds) external {
        if (rounds > 0) Recursion(msg.sender).pingPong(rounds - 1);
        returned++;
    }
}

/// @notice Deep frames: internal recursion, messages to itself, two that call each other.
contract Recursion {
    uint256 private deepest;
    uint256 private bottom;
    Partner private immutable partner = new Partner();

    function fibonacci(uint8 n) public pure returns (uint256) {
        n %= 13;
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    function ackermann(uint8 m, uint8 n) external returns (uint256 result) {
        result = inner(m % 3, n % 6);
        if (result > deepest) deepest = result;
    }

    function descend(uint16 levels) external returns (uint256) {
        if (levels == 0) return deepest;
        if (levels > 90) levels %= 91;
        try this.descend(levels - 1) returns (uint256 below) {
            deepest = below + 1;
            return below + 1;
        } catch {
            bottom = levels;
            return 0;
        }
    }

    function toTheBottom(uint32 allowed) external {
        // 63 of 64 parts of the gas go down, until there is none or no room.
        (bool done,) = address(this).call{gas: allowed % 1_000_000}(
            abi.encodeCall(this.endless, (0))
        );
        if (!done) bottom++;
    }

    function endless(uint256 level) external {
        deepest = level;
        this.endless(level + 1);
    }

    function pingPong(uint8 rounds) external {
        if (rounds % 70 == 0) return;
        partner.pingPong(rounds % 70 - 1);
        bottom++;
    }

    function echidna_is_shallow() external view returns (bool) {
        return deepest < 60;
    }

    function inner(uint256 m, uint256 n) private pure returns (uint256) {
        if (m == 0) return n + 1;
        if (n == 0) return inner(m - 1, 1);
        return inner(m - 1, inner(m, n - 1));
    }
}
