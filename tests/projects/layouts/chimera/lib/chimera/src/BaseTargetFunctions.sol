// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

import {Asserts} from "./Asserts.sol";
import {BaseProperties} from "./BaseProperties.sol";

abstract contract BaseTargetFunctions is BaseProperties, Asserts {}
