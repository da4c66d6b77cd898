// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

import {vm} from "@chimera/Hevm.sol";

/// @notice Who acts; the suite itself is the first, and the admin.
abstract contract ActorManager {
    address[] private _actors = [address(this)];
    address private _actor = address(this);

    modifier asActor() {
        vm.startPrank(_actor);
        _;
        vm.stopPrank();
    }

    modifier asAdmin() {
        vm.startPrank(address(this));
        _;
        vm.stopPrank();
    }

    function switchActor(uint256 entropy) public {
        _actor = _actors[entropy % _actors.length];
    }

    function _addActor(address who) internal {
        require(who != address(0) && who != address(this));
        _actors.push(who);
    }

    function _getActor() internal view returns (address) {
        return _actor;
    }

    function _getActors() internal view returns (address[] memory) {
        return _actors;
    }
}
