// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Asserts} from "@chimera/Asserts.sol";
import {BeforeAfter} from "./BeforeAfter.sol";

abstract contract Properties is BeforeAfter, Asserts {
    function property_meter_never_goes_back() public {
        lte(_before.reading, _after.reading, "the meter went back");
    }
}
