// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.19;

import {AavePool} from "harness/AavePool.sol";
import {Suite} from "./Suite.sol";

contract AaveTest is Suite {
    AavePool private harness;

    function setUp() external {
        harness = new AavePool(false);
        targets.push(address(harness));
    }

    function invariant_interest() external view {
        harness.check();
    }
}
