// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

import {Asserts} from "@chimera/Asserts.sol";
import {BaseSetup} from "@chimera/BaseSetup.sol";
import {ActorManager} from "./ActorManager.sol";
import {AssetManager} from "./AssetManager.sol";

/// @notice What all suites begin with.
abstract contract Suite is BaseSetup, ActorManager, AssetManager, Asserts {
    error Stateless();

    /// @dev What the function did is undone: only its assertions count.
    modifier stateless() {
        _;
        revert Stateless();
    }

    /// @notice Falls at once: a tool that does not say so does not hear assertions.
    function canary_falls() public {
        t(false, "canary: falls");
    }
}
