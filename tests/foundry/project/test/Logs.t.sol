// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Counted, Emitter, Moved, Silent} from "../src/Emitter.sol";
import {Vm} from "../src/Vm.sol";

contract LogsTest is Base {
    Emitter internal next;
    Emitter internal emitter;

    function setUp() public {
        next = new Emitter(Emitter(address(0)));
        emitter = new Emitter(next);
    }

    function test_NoneAtFirst() public {
        vm.recordLogs();
        checkUint(vm.getRecordedLogs().length, 0);
    }

    function test_NoneWithoutRecording() public {
        emitter.count(0, 2);
        checkUint(vm.getRecordedLogs().length, 0);
    }

    function test_TopicsDataAndEmitter() public {
        vm.recordLogs();
        emitter.move(alice, bob, 7, 8);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        checkUint(logs.length, 1);
        checkUint(logs[0].topics.length, 4);
        check(logs[0].topics[0] == Moved.selector, "topic 0");
        checkUint(uint256(logs[0].topics[1]), uint160(alice));
        checkUint(uint256(logs[0].topics[2]), uint160(bob));
        checkUint(uint256(logs[0].topics[3]), 7);
        check(same(logs[0].data, abi.encode(8, "moved")), "data");
        checkAddress(logs[0].emitter, address(emitter));
    }

    function test_InTheirOrder() public {
        vm.recordLogs();
        emitter.count(3, 6);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        checkUint(logs.length, 3);
        for (uint256 i; i < 3; i++) {
            checkUint(uint256(bytes32(logs[i].data)), 3 + i);
        }
    }

    function test_OfTheTestItself() public {
        vm.recordLogs();
        emit Counted(5);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        checkUint(logs.length, 1);
        checkAddress(logs[0].emitter, address(this));
    }

    function test_OfInnerCalls() public {
        vm.recordLogs();
        emitter.byNext(1);
        checkAddress(vm.getRecordedLogs()[0].emitter, address(next));
    }

    function test_OfAConstructor() public {
        vm.recordLogs();
        Emitter made = new Emitter(next);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        checkUint(logs.length, 1);
        checkAddress(logs[0].emitter, address(made));
    }

    function test_Anonymous() public {
        vm.recordLogs();
        emitter.silent(4);
        Vm.Log[] memory logs = vm.getRecordedLogs();
        checkUint(logs[0].topics.length, 1);
        checkUint(uint256(logs[0].topics[0]), 4);
        checkUint(logs[0].data.length, 0);
    }

    function test_ReadingTakesThem() public {
        vm.recordLogs();
        emitter.count(0, 2);
        checkUint(vm.getRecordedLogs().length, 2);
        checkUint(vm.getRecordedLogs().length, 0);
        emitter.count(0, 1);
        checkUint(vm.getRecordedLogs().length, 1);
    }

    function test_RecordingAnewDropsThem() public {
        vm.recordLogs();
        emitter.count(0, 2);
        vm.recordLogs();
        emitter.count(0, 1);
        checkUint(vm.getRecordedLogs().length, 1);
    }

    function test_OfFramesThatRevert() public {
        vm.recordLogs();
        emitter.byNextCaught(5);
        checkUint(vm.getRecordedLogs().length, 1);
    }

    function test_WithAnExpectedEvent() public {
        vm.recordLogs();
        vm.expectEmit();
        emit Counted(1);
        emitter.count(1, 2);
        checkUint(vm.getRecordedLogs().length, 2);
    }

    function test_Fails_ReadTwice() public {
        vm.recordLogs();
        emitter.count(0, 1);
        vm.getRecordedLogs();
        checkUint(vm.getRecordedLogs().length, 1);
    }
}

contract LogsOfSetUpTest is Base {
    function setUp() public {
        vm.recordLogs();
        emit Counted(1);
    }

    function test_AreThereInTheTest() public {
        emit Counted(2);
        checkUint(vm.getRecordedLogs().length, 2);
    }
}
