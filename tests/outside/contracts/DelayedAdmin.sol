// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {TimelockController} from
    "@openzeppelin/contracts/governance/TimelockController.sol";
import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

/// @notice OpenZeppelin's TimelockController, AccessControl and EnumerableSet.
contract DelayedAdmin is AccessControl {
    using EnumerableSet for EnumerableSet.UintSet;

    bytes32 private constant KEEPER = keccak256("KEEPER");

    TimelockController private immutable timelock;
    EnumerableSet.UintSet private seen;
    uint256 private level;

    constructor() {
        address[] memory own = new address[](1);
        own[0] = address(this);
        timelock = new TimelockController(1 hours, own, own, address(0));
        _grantRole(DEFAULT_ADMIN_ROLE, address(this));
        _grantRole(KEEPER, address(timelock));
    }

    function schedule(uint8 value, uint256 salt) external {
        bytes memory data = abi.encodeCall(this.raise, (value % 8));
        timelock.schedule(address(this), 0, data, 0, bytes32(salt % 4), 2 hours);
    }

    function execute(uint8 value, uint256 salt) external {
        bytes memory data = abi.encodeCall(this.raise, (value % 8));
        timelock.execute(address(this), 0, data, 0, bytes32(salt % 4));
    }

    function raise(uint8 value) external onlyRole(KEEPER) {
        if (value > level) level = value;
        seen.add(value);
    }

    function appoint(address account) external {
        this.grantRole(KEEPER, account);
        if (account == msg.sender) renounceRole(KEEPER, account);
    }

    function echidna_few_values() external view returns (bool) {
        return seen.length() < 3;
    }

    function echidna_level_is_seen() external view returns (bool) {
        return level == 0 || seen.contains(level);
    }
}
