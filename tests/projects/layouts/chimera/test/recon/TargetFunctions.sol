// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {BaseTargetFunctions} from "@chimera/BaseTargetFunctions.sol";
import {Properties} from "./Properties.sol";

abstract contract TargetFunctions is BaseTargetFunctions, Properties {
    function meter_advance(uint256 by) public updateGhosts {
        meter.advance(between(by, 1, 10_000));
    }
}
