// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {CryticAsserts} from "@chimera/CryticAsserts.sol";
import {FoundryAsserts} from "@chimera/FoundryAsserts.sol";
import {vm} from "@chimera/Hevm.sol";
import {TimelockController} from
    "@openzeppelin/contracts/governance/TimelockController.sol";
import {Suite} from "@recon/Suite.sol";

contract Dial {
    uint256 public value;
    address private immutable owner;

    constructor(address owner_) {
        owner = owner_;
    }

    function set(uint256 to) external {
        require(msg.sender == owner, "not the owner");
        value = to;
    }
}

/// @notice OpenZeppelin's timelock: one proposal at a time, time passes by warps.
abstract contract TimelockSuite is Suite {
    uint256 private constant DELAY = 2 days;

    TimelockController internal lock;
    Dial internal dial;
    uint256 internal proposed;
    uint256 internal at;
    uint256 internal executions;

    function setup() internal override {
        address[] memory all = new address[](2);
        all[0] = address(this);
        all[1] = address(0xA11CE);
        _addActor(all[1]);
        lock = new TimelockController(DELAY, all, all, address(this));
        dial = new Dial(address(lock));
    }

    function lock_schedule(uint256 to, uint256 delay) public asActor {
        proposed = to;
        at = block.timestamp;
        bytes memory what = abi.encodeCall(dial.set, (to));
        lock.schedule(address(dial), 0, what, 0, bytes32(to), between(delay, 0, 4 days));
    }

    function lock_execute() public asActor {
        bytes memory what = abi.encodeCall(dial.set, (proposed));
        lock.execute(address(dial), 0, what, 0, bytes32(proposed));
        ++executions;
        eq(dial.value(), proposed, "what was executed is not what was proposed");
        // The bug: the delay can be changed, and the suite's author forgot it.
        gte(block.timestamp, at + DELAY, "executed before the delay");
    }

    function lock_cancel() public asActor {
        bytes memory what = abi.encodeCall(dial.set, (proposed));
        bytes32 id =
            lock.hashOperation(address(dial), 0, what, 0, bytes32(proposed));
        lock.cancel(id);
    }

    function lock_delay(uint256 delay) public {
        vm.prank(address(lock));
        lock.updateDelay(between(delay, 0, 4 days));
    }

    function time_passes(uint256 by) public {
        vm.warp(block.timestamp + between(by, 1, 3 days));
    }

    function canary_executed() public {
        t(executions == 0, "canary: executed");
    }
}

contract TimelockTester is TimelockSuite, CryticAsserts {
    constructor() payable {
        setup();
    }
}

contract TimelockToFoundry is TimelockSuite, FoundryAsserts {
    function setUp() public {
        setup();
        targetContract(address(this));
    }

    function invariant_nothing_falls() public {}

    function test_executed_after_the_delay() public {
        lock_schedule(7, 2 days);
        vm.warp(block.timestamp + 2 days);
        lock_execute();
    }

    function test_executed_too_early() public {
        vm.warp(1 days); // The timelock takes a timestamp of 1 for "done".
        lock_delay(0);
        lock_schedule(7, 0);
        lock_execute();
    }
}
