// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Detailed, Plain, Relay, Reverter} from "../src/Reverter.sol";
import {Vm} from "../src/Vm.sol";

contract ExpectRevertTest is Base {
    Reverter internal reverter;
    Reverter internal second;
    Relay internal relay;

    function setUp() public {
        reverter = new Reverter(false);
        second = new Reverter(false);
        relay = new Relay();
    }

    function failing() internal pure returns (bytes memory) {
        return abi.encodeCall(Reverter.withReason, ("why"));
    }

    function failsItself() external pure {
        revert("itself");
    }

    function expectAndReturn() external {
        vm.expectRevert();
    }

    function test_AnyData() public {
        vm.expectRevert();
        reverter.withReason("why");
    }

    function test_AnyDataIsAlsoNone() public {
        vm.expectRevert();
        reverter.withNothing();
    }

    function test_Reason() public {
        vm.expectRevert(bytes("why"));
        reverter.withReason("why");
    }

    function test_ReasonEncoded() public {
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "why"));
        reverter.withReason("why");
    }

    function test_LongReason() public {
        string memory reason = "a reason that is longer than thirty-two bytes, and then some more";
        vm.expectRevert(bytes(reason));
        reverter.withReason(reason);
    }

    function test_EmptyReason() public {
        vm.expectRevert(bytes(""));
        reverter.withReason("");
    }

    function test_EmptyBytesAndNothing() public {
        vm.expectRevert(bytes(""));
        reverter.withNothing();
    }

    function test_Selector() public {
        vm.expectRevert(Plain.selector);
        reverter.withPlain();
    }

    function test_SelectorAsBytes() public {
        vm.expectRevert(abi.encodeWithSelector(Plain.selector));
        reverter.withPlain();
    }

    function test_ArgumentsOfAnError() public {
        vm.expectRevert(abi.encodeWithSelector(Detailed.selector, 7, address(this)));
        reverter.withDetails(7);
    }

    function test_PartialIgnoresArguments() public {
        vm.expectPartialRevert(Detailed.selector);
        reverter.withDetails(7);
    }

    function test_PartialOfErrorString() public {
        vm.expectPartialRevert(bytes4(0x08c379a0));
        reverter.withReason("why");
    }

    function test_PartialWithReverter() public {
        vm.expectPartialRevert(Detailed.selector, address(reverter));
        reverter.withDetails(7);
    }

    function test_RawBytes() public {
        vm.expectRevert(bytes(hex"010203"));
        reverter.withBytes(hex"010203");
    }

    function test_Panic() public {
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x12));
        reverter.withPanic(0);
    }

    function test_Assert() public {
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 1));
        reverter.withAssert();
    }

    function test_InvalidOpcode() public {
        vm.expectRevert();
        reverter.withInvalid{gas: 50_000}();
    }

    function test_OutOfGas() public {
        vm.expectRevert();
        reverter.withoutGas{gas: 50_000}();
    }

    function test_Fallback() public {
        vm.expectRevert("the fallback fails");
        (bool done,) = address(reverter).call(hex"12345678");
        check(done, "seen as a success");
    }

    function test_Value() public {
        vm.deal(address(this), 5);
        vm.expectRevert(bytes("why"));
        reverter.withReason{value: 5}("why");
        checkUint(address(this).balance, 5);
    }

    function test_StateOfTheCallIsUndone() public {
        vm.expectRevert("after the write");
        reverter.writeAndFail();
        checkUint(reverter.count(), 0);
    }

    function test_LowLevelCallSeesASuccess() public {
        vm.expectRevert(bytes("why"));
        (bool done, bytes memory data) = address(reverter).call(failing());
        check(done, "seen as a success");
        checkUint(data.length, 8192);
        checkUint(uint256(bytes32(data)), 0);
        check(keccak256(data) == keccak256(new bytes(8192)), "zeros");
    }

    function test_ReturnedValuesAreZero() public {
        vm.expectRevert("it fails");
        (uint256 number, string memory text) = reverter.worksOrNot(true);
        checkUint(number, 0);
        checkText(text, "");
    }

    function test_TryTakesTheSuccess() public {
        vm.expectRevert("it fails");
        bool caught;
        try reverter.worksOrNot(true) {} catch {
            caught = true;
        }
        check(!caught, "seen as a success");
    }

    function test_StaticCall() public {
        vm.expectRevert(Plain.selector);
        (bool done,) = address(reverter).staticcall(abi.encodeCall(Reverter.withPlain, ()));
        check(done, "seen as a success");
    }

    function test_DelegateCall() public {
        vm.expectRevert(Plain.selector);
        (bool done,) = address(reverter).delegatecall(abi.encodeCall(Reverter.withPlain, ()));
        check(done, "seen as a success");
    }

    function test_OnlyTheNextCall() public {
        vm.expectRevert(bytes("why"));
        reverter.withReason("why");
        checkUint(reverter.works(), 1);
        try reverter.withReason("again") {
            revert("seen as a success");
        } catch Error(string memory reason) {
            checkText(reason, "again");
        }
    }

    function test_CheatcodesDoNotCount() public {
        vm.expectRevert(bytes("why"));
        vm.warp(5);
        vm.prank(alice);
        vm.getNonce(alice);
        reverter.withReason("why");
        checkUint(block.timestamp, 5);
    }

    function test_TheConsoleDoesNotCount() public {
        vm.expectRevert(bytes("why"));
        (bool done,) = CONSOLE.staticcall(abi.encodeWithSignature("log(string)", "hello"));
        check(done, "the console answers");
        reverter.withReason("why");
    }

    function test_WithAPrank() public {
        vm.prank(alice);
        vm.expectRevert(abi.encodeWithSelector(Detailed.selector, 7, alice));
        reverter.withDetails(7);
    }

    function test_CallOfItself() public {
        vm.expectRevert("itself");
        this.failsItself();
    }

    function test_CallOfItselfByTheReverterOfTheTest() public {
        vm.expectRevert("itself", address(this));
        this.failsItself();
    }

    function test_Create() public {
        vm.expectRevert("the constructor fails");
        Reverter made = new Reverter(true);
        checkAddress(address(made), address(1));
    }

    function test_Create2() public {
        vm.expectRevert("the constructor fails");
        Reverter made = new Reverter{salt: "salt"}(true);
        checkAddress(address(made), address(1));
    }

    function test_CreateInTheCallee() public {
        vm.expectRevert("the constructor fails");
        relay.create(true);
    }

    function test_Nested() public {
        vm.expectRevert(bytes("why"));
        relay.forward(address(reverter), failing());
        checkUint(relay.done(), 0);
    }

    function test_SwallowedBelowCounts() public {
        // The callee catches the revert and goes on: it is the callee that counts.
        vm.expectRevert("the relay fails by itself");
        relay.swallowAndFail(address(reverter), failing());
    }

    function test_Reverter() public {
        vm.expectRevert(address(reverter));
        reverter.withReason("why");
    }

    function test_ReverterIsTheDeepest() public {
        vm.expectRevert(address(reverter));
        relay.forward(address(reverter), failing());
    }

    function test_ReverterAndSelector() public {
        vm.expectRevert(Plain.selector, address(reverter));
        reverter.withPlain();
    }

    function test_ReverterAndData() public {
        vm.expectRevert(bytes("why"), address(reverter));
        relay.forward(address(reverter), failing());
    }

    function test_CountOfZero() public {
        vm.expectRevert(uint64(0));
        reverter.works();
    }

    function test_CountOfZeroWithOtherData() public {
        vm.expectRevert(bytes("why"), uint64(0));
        reverter.works();
    }

    function test_CountOfOne() public {
        vm.expectRevert(uint64(1));
        reverter.withNothing();
    }

    function test_CountOfThree() public {
        vm.expectRevert(bytes("why"), uint64(3));
        reverter.withReason("why");
        reverter.withReason("why");
        reverter.withReason("why");
    }

    function test_CountOfSelector() public {
        vm.expectRevert(Plain.selector, uint64(2));
        reverter.withPlain();
        second.withPlain();
    }

    function test_CountOfReverter() public {
        vm.expectRevert(address(reverter), uint64(2));
        reverter.withPlain();
        reverter.withReason("why");
    }

    function test_CountOfReverterAndSelector() public {
        vm.expectRevert(Plain.selector, address(reverter), uint64(2));
        reverter.withPlain();
        reverter.withPlain();
    }

    function test_CountOfReverterAndData() public {
        vm.expectRevert(bytes("why"), address(reverter), uint64(2));
        reverter.withReason("why");
        reverter.withReason("why");
    }

    function test_TwoInARow() public {
        vm.expectRevert(bytes("one"));
        reverter.withReason("one");
        vm.expectRevert(bytes("two"));
        reverter.withReason("two");
    }

    function test_SecondExpectationIsRefused() public {
        vm.expectRevert(bytes("one"));
        (bool done, bytes memory data) = address(vm).call(abi.encodeWithSignature("expectRevert()"));
        check(!done, "two at once");
        checkError(
            data,
            "CheatcodeError",
            "vm.expectRevert: you must call another function prior to expecting a second revert"
        );
        reverter.withReason("one");
    }

    function test_ARefusedCheatcodeIsNoRevert() public {
        vm.expectRevert(bytes("why"));
        (bool done,) = address(vm).call(abi.encodeCall(Vm.parseBool, ("no")));
        check(!done, "it is refused");
        reverter.withReason("why");
    }

    // What does not come as expected makes the call fail. Who catches that goes on.

    function test_CallOfAnEoaIsMadeToFail() public {
        vm.expectRevert();
        (bool done, bytes memory data) = bob.call("");
        check(!done, "made to fail");
        checkError(data, "CheatcodeError", "next call did not revert as expected");
    }

    function test_CallThatWorksIsMadeToFail() public {
        vm.expectRevert(bytes("why"));
        (bool done, bytes memory data) = address(reverter).call(abi.encodeCall(Reverter.works, ()));
        check(!done, "made to fail");
        checkError(data, "CheatcodeError", "next call did not revert as expected");
        // What it did is there all the same.
        checkUint(reverter.count(), 1);
    }

    function test_ThenItIsUsedUp() public {
        vm.expectRevert(bytes("why"));
        try reverter.works() {
            revert("made to fail");
        } catch {}
        checkUint(reverter.works(), 2);
    }

    function test_OtherReasonReachesTheCatch() public {
        vm.expectRevert("because");
        (bool done, bytes memory data) = address(reverter).call(failing());
        check(!done, "made to fail");
        checkError(data, "CheatcodeError", "Error != expected error: why != because");
    }

    function test_OtherSelectorReachesTheCatch() public {
        vm.expectRevert(Detailed.selector);
        (bool done, bytes memory data) = address(reverter).call(abi.encodeCall(Reverter.withPlain, ()));
        check(!done, "made to fail");
        checkError(data, "CheatcodeError", string(abi.encodePacked("Error != expected error: Plain() != ", Detailed.selector)));
    }

    function test_OtherReverterReachesTheCatch() public {
        vm.expectRevert(address(second));
        (bool done, bytes memory data) = address(reverter).call(failing());
        check(!done, "made to fail");
        checkError(data, "CheatcodeError", otherReverter(reverter, second));
    }

    function test_OneTooManyOfCountOfZero() public {
        vm.expectRevert(uint64(0));
        (bool done, bytes memory data) = address(reverter).call(failing());
        check(!done, "made to fail");
        checkError(data, "CheatcodeError", "call reverted when it was expected not to revert");
    }

    function test_CountOfZeroIsUsedUp() public {
        vm.expectRevert(uint64(0));
        reverter.works();
        (bool done, bytes memory data) = address(reverter).call(failing());
        check(!done, "not touched");
        checkError(data, "Error", "why");
    }

    function test_CountOfZeroForAReasonThatIsNot() public {
        vm.expectRevert("because", uint64(0));
        (bool done, bytes memory data) = address(reverter).call(failing());
        check(!done, "made to fail");
        checkError(data, "CheatcodeError", "call reverted with 'why' when it was expected not to revert");
    }

    function test_AThirdOfTwo() public {
        vm.expectRevert(bytes("why"), uint64(2));
        reverter.withReason("why");
        reverter.withReason("why");
        (bool done, bytes memory data) = address(reverter).call(failing());
        check(!done, "not touched");
        checkError(data, "Error", "why");
    }

    function test_CountWithAWorkingCallBetween() public {
        vm.expectRevert(bytes("why"), uint64(2));
        reverter.withReason("why");
        (bool done, bytes memory data) = address(reverter).call(abi.encodeCall(Reverter.works, ()));
        checkError(data, "CheatcodeError", "next call did not revert as expected");
        done;
    }

    function test_CountOfOtherReverter() public {
        vm.expectRevert(address(reverter), uint64(2));
        reverter.withReason("why");
        (bool done, bytes memory data) = address(second).call(failing());
        checkError(data, "CheatcodeError", otherReverter(second, reverter));
        done;
    }

    function test_CreateThatWorksIsMadeToFail() public {
        vm.expectRevert();
        bool caught;
        try new Reverter(false) {} catch (bytes memory data) {
            caught = true;
            checkError(data, "CheatcodeError", "next call did not revert as expected");
        }
        check(caught, "made to fail");
    }

    function test_Fails_NothingReverts() public {
        vm.expectRevert();
        reverter.works();
    }

    function test_Fails_NothingIsCalled() public {
        vm.expectRevert();
    }

    function test_Fails_OtherReason() public {
        vm.expectRevert("because");
        reverter.withReason("why");
    }

    function test_Fails_OtherSelector() public {
        vm.expectRevert(Detailed.selector);
        reverter.withPlain();
    }

    function test_Fails_SelectorIsNotPartial() public {
        vm.expectRevert(Detailed.selector);
        reverter.withDetails(1);
    }

    function test_Fails_OtherArguments() public {
        vm.expectRevert(abi.encodeWithSelector(Detailed.selector, 8, address(this)));
        reverter.withDetails(7);
    }

    function test_Fails_PartialOfOther() public {
        vm.expectPartialRevert(Plain.selector);
        reverter.withDetails(7);
    }

    function test_Fails_OtherReverter() public {
        vm.expectRevert(address(second));
        reverter.withPlain();
    }

    function test_Fails_ReverterIsNotTheCallee() public {
        vm.expectRevert(address(relay));
        relay.forward(address(reverter), failing());
    }

    function test_Fails_CallOfAPrecompile() public {
        vm.expectRevert();
        sha256("x");
    }

    function test_Fails_TransferToAnEoa() public {
        vm.deal(address(this), 1);
        vm.expectRevert();
        payable(bob).transfer(1);
    }

    function test_Fails_TooFew() public {
        vm.expectRevert(bytes("why"), uint64(3));
        reverter.withReason("why");
        reverter.withReason("why");
    }

    function test_Fails_CountOfZeroReverts() public {
        vm.expectRevert(uint64(0));
        reverter.withReason("why");
    }

    function test_Fails_RevertOfTheTestItself() public {
        vm.expectRevert(bytes("why"));
        revert("why");
    }

    function test_Fails_InternalFunction() public {
        vm.expectRevert("inner");
        inner();
    }

    function test_Fails_SwallowedByTheCallee() public {
        vm.expectRevert(bytes("why"));
        relay.swallow(address(reverter), failing());
    }

    function test_Fails_SecondExpectation() public {
        vm.expectRevert(bytes("why"));
        vm.expectRevert(bytes("why"));
        reverter.withReason("why");
    }

    function test_Fails_ExpectedInAFrameThatEnds() public {
        this.expectAndReturn();
        reverter.withReason("why");
    }

    function test_Fails_CreateWorks() public {
        vm.expectRevert();
        new Reverter(false);
    }

    function otherReverter(Reverter found, Reverter expected) internal pure returns (string memory) {
        return string.concat(
            "Reverter != expected reverter: ",
            vm.toString(address(found)),
            " != ",
            vm.toString(address(expected))
        );
    }

    function inner() internal pure {
        revert("inner");
    }
}
