// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

import {BaseSetup} from "./BaseSetup.sol";

abstract contract BaseProperties is BaseSetup {}
