// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {TargetFunctions} from "./TargetFunctions.sol";

/// @notice What Echidna, Medusa and echidna-mcp run.
contract CryticTester is TargetFunctions {
    constructor() payable {
        setup();
    }
}
