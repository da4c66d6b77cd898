// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Meter {
    uint256 public reading;

    function advance(uint256 by) external {
        // The bug: the meter turns over.
        reading = (reading + by) % 100_000;
    }
}
