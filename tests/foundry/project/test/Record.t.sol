// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Vm} from "../src/Vm.sol";

contract Slots {
    uint256 internal first;
    uint256 internal second;
    mapping(address => uint256) internal balances;
    mapping(uint256 => mapping(uint256 => uint256)) internal grid;

    function read() external view returns (uint256) {
        return first + second;
    }

    function write(uint256 value) external {
        second = value;
    }

    function readTwice() external view returns (uint256 sum) {
        assembly {
            sum := add(sload(0), sload(0))
        }
    }

    function balanceOf(address who) external view returns (uint256) {
        return balances[who];
    }

    function payAndFail(address to) external {
        balances[to] = 1;
        revert("after the write");
    }

    function writeAndFail() external {
        first = 1;
        revert("after the write");
    }

    function pay(address to, uint256 amount) external {
        balances[to] = amount;
    }

    function mark(uint256 x, uint256 y) external {
        grid[x][y] = 1;
    }
}

contract RecordTest is Base {
    Slots internal slots;
    Slots internal others;

    function setUp() public {
        slots = new Slots();
        others = new Slots();
    }

    function test_Reads() public {
        vm.record();
        slots.read();
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(slots));
        checkUint(reads.length, 2);
        checkUint(writes.length, 0);
        checkUint(uint256(reads[0]) + uint256(reads[1]), 1);
    }

    function test_AWriteIsAReadToo() public {
        vm.record();
        slots.write(3);
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(slots));
        checkUint(reads.length, 1);
        checkUint(writes.length, 1);
        checkUint(uint256(reads[0]), 1);
        checkUint(uint256(writes[0]), 1);
    }

    function test_RepeatsAreKept() public {
        vm.record();
        slots.readTwice();
        (bytes32[] memory reads,) = vm.accesses(address(slots));
        checkUint(reads.length, 2);
    }

    function test_ByAddress() public {
        vm.record();
        slots.read();
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(others));
        checkUint(reads.length + writes.length, 0);
    }

    function test_NothingBefore() public {
        slots.read();
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(slots));
        checkUint(reads.length + writes.length, 0);
        vm.record();
        (reads, writes) = vm.accesses(address(slots));
        checkUint(reads.length + writes.length, 0);
    }

    function test_RecordAnewDropsWhatWas() public {
        vm.record();
        slots.read();
        vm.record();
        slots.write(3);
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(slots));
        checkUint(reads.length, 1);
        checkUint(writes.length, 1);
    }

    function test_StopKeepsWhatWas() public {
        vm.record();
        slots.write(3);
        vm.stopRecord();
        slots.write(4);
        (, bytes32[] memory writes) = vm.accesses(address(slots));
        checkUint(writes.length, 1);
    }

    function test_ReadingKeepsThem() public {
        vm.record();
        slots.write(3);
        vm.accesses(address(slots));
        (, bytes32[] memory writes) = vm.accesses(address(slots));
        checkUint(writes.length, 1);
    }

    function test_FramesThatRevert() public {
        vm.record();
        try slots.writeAndFail() {} catch {}
        (, bytes32[] memory writes) = vm.accesses(address(slots));
        checkUint(writes.length, 1);
    }

    function test_LoadAndStoreAreNot() public {
        vm.record();
        vm.load(address(slots), 0);
        vm.store(address(slots), 0, 0);
        (bytes32[] memory reads, bytes32[] memory writes) = vm.accesses(address(slots));
        checkUint(reads.length + writes.length, 0);
    }

    function test_TheTestItself() public {
        vm.record();
        slots = others;
        (, bytes32[] memory writes) = vm.accesses(address(this));
        checkUint(writes.length, 1);
    }

    function test_MappingsAreNamed() public {
        vm.startMappingRecording();
        slots.pay(alice, 5);
        slots.pay(bob, 6);
        checkUint(vm.getMappingLength(address(slots), bytes32(uint256(2))), 2);
        bytes32 slot = keccak256(abi.encode(alice, 2));
        check(vm.getMappingSlotAt(address(slots), bytes32(uint256(2)), 0) == slot, "first slot");
        (bool found, bytes32 key, bytes32 parent) = vm.getMappingKeyAndParentOf(address(slots), slot);
        check(found, "found");
        checkUint(uint256(key), uint160(alice));
        checkUint(uint256(parent), 2);
        vm.stopMappingRecording();
    }

    function test_MappingsOfMappings() public {
        vm.startMappingRecording();
        slots.mark(4, 5);
        bytes32 row = keccak256(abi.encode(4, 3));
        bytes32 cell = keccak256(abi.encode(5, row));
        (bool found, bytes32 key, bytes32 parent) = vm.getMappingKeyAndParentOf(address(slots), cell);
        check(found, "found");
        checkUint(uint256(key), 5);
        check(parent == row, "parent");
        (found, key, parent) = vm.getMappingKeyAndParentOf(address(slots), row);
        check(found, "found");
        checkUint(uint256(key), 4);
        checkUint(uint256(parent), 3);
    }

    function test_MappingsThatAreUnknown() public {
        vm.startMappingRecording();
        (bool found, bytes32 key, bytes32 parent) = vm.getMappingKeyAndParentOf(address(slots), bytes32(uint256(9)));
        check(!found && key == 0 && parent == 0, "unknown");
        checkUint(vm.getMappingLength(address(slots), bytes32(uint256(9))), 0);
        check(vm.getMappingSlotAt(address(slots), bytes32(uint256(9)), 0) == 0, "unknown");
    }

    function test_MappingsAreOfWhatIsWritten() public {
        vm.startMappingRecording();
        slots.balanceOf(alice);
        checkUint(vm.getMappingLength(address(slots), bytes32(uint256(2))), 0);
        (bool found, bytes32 key,) =
            vm.getMappingKeyAndParentOf(address(slots), keccak256(abi.encode(alice, 2)));
        check(found && uint256(key) == uint160(alice), "what is read is known");
        slots.pay(alice, 1);
        slots.pay(alice, 2);
        try slots.payAndFail(bob) {} catch {}
        checkUint(vm.getMappingLength(address(slots), bytes32(uint256(2))), 2);
        checkUint(vm.getMappingLength(address(others), bytes32(uint256(2))), 0);
    }

    function test_MappingRecordingGoesOnOrBeginsAnew() public {
        vm.startMappingRecording();
        slots.pay(alice, 1);
        vm.startMappingRecording();
        checkUint(vm.getMappingLength(address(slots), bytes32(uint256(2))), 1);
        vm.stopMappingRecording();
        checkUint(vm.getMappingLength(address(slots), bytes32(uint256(2))), 0);
        vm.startMappingRecording();
        checkUint(vm.getMappingLength(address(slots), bytes32(uint256(2))), 0);
    }

    function test_MappingsWithoutRecording() public {
        slots.pay(alice, 5);
        checkUint(vm.getMappingLength(address(slots), bytes32(uint256(2))), 0);
    }

    function test_Fails_OnlyAfterRecord() public {
        slots.write(1);
        vm.record();
        (, bytes32[] memory writes) = vm.accesses(address(slots));
        checkUint(writes.length, 1);
    }
}
