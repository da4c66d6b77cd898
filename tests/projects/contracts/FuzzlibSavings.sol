// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {FuzzBase} from "@perimetersec/fuzzlib/src/FuzzBase.sol";

/// @notice Clamps and checks of fuzzlib: failures happen in a contract that it calls.
contract FuzzlibSavings is FuzzBase {
    bool private immutable planted;
    mapping(address => uint256) private saved;
    uint256 private total;

    constructor(bool planted_) {
        planted = planted_;
    }

    function save(uint256 amount) external {
        amount = fl.clamp(amount, 1, 1000);
        saved[msg.sender] += amount;
        total += amount;
        fl.gte(total, saved[msg.sender], "one saver has more than all");
    }

    function spend(uint256 amount) external {
        fl.t(saved[msg.sender] <= total, "before");
        if (saved[msg.sender] == 0) return;
        amount = fl.clamp(amount, 1, saved[msg.sender]);
        saved[msg.sender] -= amount;
        // The bug: the last coin is counted twice.
        total -= planted && saved[msg.sender] == 0 && total > amount ? amount + 1 : amount;
        fl.lte(saved[msg.sender], total, "after");
    }

    function distance(int256 a, int256 b) external {
        a = fl.clamp(a, -1000, 1000);
        b = fl.clamp(b, -1000, 1000);
        fl.eq(fl.diff(a, b), fl.abs(a - b), "distance");
    }
}
