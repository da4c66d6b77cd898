// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Cheater, Witness} from "../src/Peers.sol";
import {Vm} from "../src/Vm.sol";

contract SnapshotsTest is Base {
    uint256 internal number;
    Witness internal witness;
    Cheater internal cheater;

    event Happened(uint256 number);

    function setUp() public {
        number = 1;
        witness = new Witness();
        cheater = new Cheater();
    }

    function revertTo(uint256 id) external returns (bool) {
        return vm.revertToState(id);
    }

    function test_StorageOfTheTestComesBack() public {
        uint256 id = vm.snapshotState();
        number = 2;
        check(vm.revertToState(id), "known");
        checkUint(number, 1);
    }

    function test_NamesCountUp() public {
        uint256 first = vm.snapshotState();
        uint256 second = vm.snapshotState();
        checkUint(first, 0);
        checkUint(second, 1);
    }

    function test_BalancesCodeAndNoncesComeBack() public {
        uint256 id = vm.snapshotState();
        vm.deal(alice, 5);
        vm.etch(bob, hex"00");
        vm.setNonce(alice, 3);
        vm.revertToState(id);
        checkUint(alice.balance, 0);
        checkUint(bob.code.length, 0);
        checkUint(vm.getNonce(alice), 0);
    }

    function test_TheBlockComesBack() public {
        vm.warp(10);
        uint256 id = vm.snapshotState();
        vm.warp(20);
        vm.roll(30);
        vm.fee(40);
        vm.chainId(50);
        vm.coinbase(alice);
        vm.revertToState(id);
        checkUint(block.timestamp, 10);
        checkUint(block.number, 1);
        checkUint(block.basefee, 0);
        checkUint(block.chainid, 31337);
        checkAddress(block.coinbase, address(0));
    }

    function test_CreatedContractsAreGone() public {
        uint256 id = vm.snapshotState();
        Witness made = new Witness();
        check(address(made).code.length > 0, "made");
        vm.revertToState(id);
        checkUint(address(made).code.length, 0);
        checkAddress(address(new Witness()), address(made));
    }

    function test_MemoryAndVariablesStay() public {
        uint256 local = 1;
        uint256 id = vm.snapshotState();
        local = 2;
        vm.revertToState(id);
        checkUint(local, 2);
    }

    function test_ASnapshotServesTwice() public {
        uint256 id = vm.snapshotState();
        number = 2;
        check(vm.revertToState(id), "once");
        number = 3;
        check(vm.revertToState(id), "twice");
        checkUint(number, 1);
    }

    function test_AndDeleteServesOnce() public {
        uint256 id = vm.snapshotState();
        number = 2;
        check(vm.revertToStateAndDelete(id), "once");
        checkUint(number, 1);
        number = 3;
        check(!vm.revertToStateAndDelete(id), "it is gone");
        check(!vm.revertToState(id), "it is gone");
        checkUint(number, 3);
    }

    function test_RevertingKeepsLaterSnapshots() public {
        uint256 first = vm.snapshotState();
        number = 2;
        uint256 second = vm.snapshotState();
        number = 3;
        check(vm.revertToState(first), "first");
        checkUint(number, 1);
        check(vm.revertToState(second), "second");
        checkUint(number, 2);
    }

    function test_InTheOrderOfAStack() public {
        uint256 first = vm.snapshotState();
        number = 2;
        uint256 second = vm.snapshotState();
        number = 3;
        check(vm.revertToState(second), "second");
        checkUint(number, 2);
        check(vm.revertToState(first), "first");
        checkUint(number, 1);
    }

    function test_NamesAreNotUsedAgain() public {
        uint256 first = vm.snapshotState();
        vm.snapshotState();
        vm.revertToStateAndDelete(first);
        checkUint(vm.snapshotState(), 2);
    }

    function test_AnUnknownSnapshot() public {
        check(!vm.revertToState(1234), "unknown");
    }

    function test_DeleteOne() public {
        uint256 id = vm.snapshotState();
        check(vm.deleteStateSnapshot(id), "deleted");
        check(!vm.deleteStateSnapshot(id), "not again");
        check(!vm.revertToState(id), "gone");
    }

    function test_DeleteAll() public {
        uint256 first = vm.snapshotState();
        uint256 second = vm.snapshotState();
        vm.deleteStateSnapshots();
        check(!vm.revertToState(first) && !vm.revertToState(second), "gone");
    }

    function test_OldNames() public {
        uint256 id = vm.snapshot();
        number = 2;
        check(vm.revertTo(id), "known");
        checkUint(number, 1);
        number = 2;
        check(vm.revertToAndDelete(id), "known");
        checkUint(number, 1);
        check(!vm.deleteSnapshot(id), "gone");
        vm.snapshot();
        vm.deleteSnapshots();
    }

    function test_APrankIsNotPartOfIt() public {
        uint256 id = vm.snapshotState();
        vm.prank(alice);
        vm.revertToState(id);
        (address sender,) = witness.who();
        checkAddress(sender, alice);
    }

    function test_RevertedInACallee() public {
        uint256 id = vm.snapshotState();
        number = 2;
        vm.deal(alice, 6);
        check(this.revertTo(id), "known");
        checkUint(number, 1);
        checkUint(alice.balance, 0);
    }

    function test_LogsStay() public {
        vm.recordLogs();
        uint256 id = vm.snapshotState();
        emit Happened(1);
        vm.revertToState(id);
        emit Happened(2);
        checkUint(vm.getRecordedLogs().length, 2);
    }

    function test_LabelsStay() public {
        uint256 id = vm.snapshotState();
        vm.label(alice, "Alice");
        vm.revertToState(id);
        checkText(vm.getLabel(alice), "Alice");
    }

    function test_MocksStay() public {
        uint256 id = vm.snapshotState();
        vm.mockCall(address(witness), abi.encodeWithSignature("value()"), abi.encode(9));
        vm.revertToState(id);
        checkUint(witness.value(), 9);
    }

    function test_TransfersComeBack() public {
        uint256 id = vm.snapshotState();
        payable(bob).transfer(7);
        checkUint(bob.balance, 7);
        vm.revertToState(id);
        checkUint(bob.balance, 0);
        checkUint(address(this).balance, type(uint96).max);
    }

    function test_Fails_OnlyWhenReverted() public {
        vm.snapshotState();
        number = 2;
        checkUint(number, 1);
    }

    function test_Fails_LocalsDoNotComeBack() public {
        uint256 local = 1;
        uint256 id = vm.snapshotState();
        local = 2;
        vm.revertToState(id);
        checkUint(local, 1);
    }
}

contract SnapshotOfSetUpTest is Base {
    uint256 internal number;
    uint256 internal id;

    function setUp() public {
        number = 1;
        id = vm.snapshotState();
        number = 2;
    }

    function test_ItIsKnownInTheTests() public {
        checkUint(number, 2);
        check(vm.revertToState(id), "known");
        checkUint(number, 1);
    }

    function test_ItIsKnownInEachTest() public {
        check(vm.revertToStateAndDelete(id), "known");
        checkUint(id, 0);
    }
}
