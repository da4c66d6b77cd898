// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Setup} from "./Setup.sol";

abstract contract BeforeAfter is Setup {
    struct Vars {
        uint256 reading;
    }

    Vars internal _before;
    Vars internal _after;

    modifier updateGhosts() {
        _before.reading = meter.reading();
        _;
        _after.reading = meter.reading();
    }
}
