// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Counted, Emitter, Moved, Silent} from "../src/Emitter.sol";
import {Vm} from "../src/Vm.sol";

contract ExpectEmitTest is Base {
    Emitter internal next;
    Emitter internal emitter;

    function setUp() public {
        next = new Emitter(Emitter(address(0)));
        emitter = new Emitter(next);
    }

    function countHere(uint256 number) external {
        emit Counted(number);
    }

    /// The text without the selector of an error.
    function checkBare(bytes memory data, string memory text) internal pure {
        if (!same(data, abi.encode(text))) revert(string.concat("found: ", readable(data)));
    }

    function test_All() public {
        vm.expectEmit();
        emit Moved(alice, bob, 1, 2, "moved");
        emitter.move(alice, bob, 1, 2);
    }

    function test_ByEmitter() public {
        vm.expectEmit(address(emitter));
        emit Counted(4);
        emitter.count(4, 5);
    }

    function test_AllFlags() public {
        vm.expectEmit(true, true, true, true);
        emit Moved(alice, bob, 1, 2, "moved");
        emitter.move(alice, bob, 1, 2);
    }

    function test_FlagsAndEmitter() public {
        vm.expectEmit(true, true, true, true, address(emitter));
        emit Moved(alice, bob, 1, 2, "moved");
        emitter.move(alice, bob, 1, 2);
    }

    function test_WithoutTopic1() public {
        vm.expectEmit(false, true, true, true);
        emit Moved(address(9), bob, 1, 2, "moved");
        emitter.move(alice, bob, 1, 2);
    }

    function test_WithoutTopic2() public {
        vm.expectEmit(true, false, true, true);
        emit Moved(alice, address(9), 1, 2, "moved");
        emitter.move(alice, bob, 1, 2);
    }

    function test_WithoutTopic3() public {
        vm.expectEmit(true, true, false, true);
        emit Moved(alice, bob, 9, 2, "moved");
        emitter.move(alice, bob, 1, 2);
    }

    function test_WithoutData() public {
        vm.expectEmit(true, true, true, false);
        emit Moved(alice, bob, 1, 9, "other words");
        emitter.move(alice, bob, 1, 2);
    }

    function test_WithoutAnything() public {
        vm.expectEmit(false, false, false, false);
        emit Moved(bob, alice, 9, 9, "");
        emitter.move(alice, bob, 1, 2);
    }

    function test_OthersBefore() public {
        vm.expectEmit();
        emit Counted(5);
        emitter.count(1, 8);
    }

    function test_InOrder() public {
        vm.expectEmit();
        emit Counted(2);
        vm.expectEmit();
        emit Counted(3);
        emitter.count(2, 4);
    }

    function test_InOrderWithOthersBetween() public {
        vm.expectEmit();
        emit Counted(2);
        vm.expectEmit();
        emit Counted(6);
        emitter.count(0, 9);
    }

    function test_ByTheCalleeOfTheCallee() public {
        vm.expectEmit(address(next));
        emit Counted(2);
        emitter.byNext(2);
    }

    function test_InACreate() public {
        vm.expectEmit();
        emit Counted(77);
        new Emitter(next);
    }

    function test_InACallOfOneself() public {
        vm.expectEmit(address(this));
        emit Counted(5);
        this.countHere(5);
    }

    function test_CountOfThree() public {
        vm.expectEmit(false, false, false, false, uint64(3));
        emit Counted(0);
        emitter.count(0, 3);
    }

    function test_CountOfZero() public {
        vm.expectEmit(uint64(0));
        emit Counted(9);
        emitter.count(0, 3);
    }

    function test_CountByEmitter() public {
        vm.expectEmit(address(emitter), uint64(1));
        emit Counted(1);
        emitter.count(0, 3);
    }

    function test_CountWithFlagsAndEmitter() public {
        vm.expectEmit(true, true, true, false, address(emitter), uint64(2));
        emit Counted(9);
        emitter.count(0, 2);
    }

    function test_Anonymous() public {
        vm.expectEmitAnonymous();
        emit Silent(3);
        emitter.silent(3);
    }

    function test_AnonymousByEmitter() public {
        vm.expectEmitAnonymous(address(emitter));
        emit Silent(3);
        emitter.silent(3);
    }

    function test_AnonymousWithoutTopic0() public {
        vm.expectEmitAnonymous(false, true, true, true, true);
        emit Silent(9);
        emitter.silent(3);
    }

    function test_CheatcodesBetween() public {
        vm.expectEmit();
        emit Counted(4);
        vm.warp(9);
        vm.prank(alice);
        emitter.count(4, 5);
    }

    function test_WithExpectRevert() public {
        // The call of the expected event comes first.
        vm.expectEmit();
        emit Counted(4);
        emitter.count(4, 5);
        vm.expectRevert("after the event");
        emitter.countAndFail(1);
    }

    function test_Fails_LaterCall() public {
        vm.expectEmit();
        emit Counted(4);
        emitter.nothing();
        emitter.count(4, 5);
    }

    function test_TheTestEmitsItTwice() public {
        vm.expectEmit();
        emit Counted(4);
        emit Counted(4);
    }

    function test_AStaticCallBetween() public {
        vm.expectEmit();
        emit Counted(4);
        emitter.next();
        emitter.count(4, 5);
    }

    function test_MismatchReachesTheCatch() public {
        vm.expectEmit();
        emit Counted(4);
        (bool done, bytes memory data) = address(emitter).call(abi.encodeCall(Emitter.nothing, ()));
        check(!done, "made to fail");
        checkBare(data, "log != expected log");
        // It is expected still.
        emitter.count(4, 5);
    }

    function test_MismatchOfDataReachesTheCatch() public {
        vm.expectEmit();
        emit Counted(4);
        (bool done, bytes memory data) = address(emitter).call(abi.encodeCall(Emitter.count, (5, 6)));
        check(!done, "made to fail");
        checkBare(
            data,
            "log mismatch at param 0: "
            "expected=0x0000000000000000000000000000000000000000000000000000000000000004, "
            "got=0x0000000000000000000000000000000000000000000000000000000000000005"
        );
        emitter.count(4, 5);
    }

    function test_Fails_MismatchThatIsCaught() public {
        vm.expectEmit();
        emit Counted(4);
        try emitter.nothing() {} catch {}
    }

    function test_Fails_NothingIsCalledAfterwards() public {
        vm.expectEmit();
        emit Counted(4);
    }

    function test_Fails_NothingIsCalledNorEmitted() public {
        vm.expectEmit();
    }

    function test_TheCallReverts() public {
        vm.expectEmit();
        emit Counted(4);
        (bool done, bytes memory data) = address(emitter).call(abi.encodeCall(Emitter.countAndFail, (4)));
        check(!done, "it reverts");
        checkError(data, "Error", "after the event");
    }

    function test_ACallOfAnEoa() public {
        vm.expectEmit();
        emit Counted(4);
        (bool done, bytes memory data) = bob.call("");
        check(!done, "made to fail");
        checkBare(data, "log != expected log");
        // It is expected still.
        emitter.count(4, 5);
    }

    function test_Fails_Never() public {
        vm.expectEmit();
        emit Counted(4);
        emitter.nothing();
    }

    function test_Fails_OtherData() public {
        vm.expectEmit();
        emit Counted(4);
        emitter.count(5, 6);
    }

    function test_Fails_OtherTopic() public {
        vm.expectEmit(true, true, true, false);
        emit Moved(alice, alice, 1, 2, "moved");
        emitter.move(alice, bob, 1, 2);
    }

    function test_Fails_OtherEmitter() public {
        vm.expectEmit(address(next));
        emit Counted(4);
        emitter.count(4, 5);
    }

    function test_Fails_OtherOrder() public {
        vm.expectEmit();
        emit Counted(3);
        vm.expectEmit();
        emit Counted(2);
        emitter.count(2, 4);
    }

    function test_Fails_NoTemplate() public {
        vm.expectEmit();
        emitter.nothing();
    }

    function test_MoreThanTheCount() public {
        vm.expectEmit(false, false, false, false, uint64(2));
        emit Counted(0);
        emitter.count(0, 3);
    }

    function test_Fails_TooFew() public {
        vm.expectEmit(false, false, false, false, uint64(4));
        emit Counted(0);
        emitter.count(0, 3);
    }

    function test_Fails_OfCountZero() public {
        vm.expectEmit(uint64(0));
        emit Counted(1);
        emitter.count(0, 3);
    }

    function test_InAFrameThatReverts() public {
        vm.expectEmit(address(next));
        emit Counted(4);
        emitter.byNextCaught(4);
    }

    function test_Fails_NamedForAnonymous() public {
        vm.expectEmitAnonymous();
        emit Silent(3);
        emitter.count(3, 4);
    }
}
