// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";

contract Desk is Multicall, AccessControl, Pausable {
    bytes32 internal constant CLERK = keccak256("CLERK");

    mapping(address => int256) public accounts;

    constructor() {
        _grantRole(DEFAULT_ADMIN_ROLE, msg.sender);
    }

    function book(address account, int256 amount) external whenNotPaused returns (int256) {
        return accounts[account] += amount;
    }

    function halve(int256 by) external onlyRole(CLERK) returns (int256) {
        return accounts[msg.sender] /= by;
    }

    function stop() external {
        _pause();
    }
}

/// Batches of delegatecalls to oneself, of which one that fails undoes all.
contract Batches {
    Desk internal desk = new Desk();
    bool internal done;

    function batch(int128 amount) external {
        bytes[] memory calls = new bytes[](4);
        calls[0] = abi.encodeCall(Desk.book, (address(this), amount));
        calls[1] = abi.encodeCall(desk.grantRole, (keccak256("CLERK"), address(this)));
        calls[2] = abi.encodeCall(Desk.halve, (0));
        calls[3] = abi.encodeCall(Desk.stop, ());
        try desk.halve(1) {} catch {}
        try desk.multicall(calls) returns (bytes[] memory) {} catch {}
        calls[2] = abi.encodeCall(Desk.halve, (-2));
        desk.multicall(calls);
        try desk.book(address(this), 1) {} catch {}
        done = true;
    }

    function check() external view {
        assert(!done);
    }
}
