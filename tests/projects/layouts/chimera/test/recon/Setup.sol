// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {BaseSetup} from "@chimera/BaseSetup.sol";
import {Meter} from "src/Meter.sol";

abstract contract Setup is BaseSetup {
    Meter internal meter;

    function setup() internal virtual override {
        meter = new Meter();
    }
}
