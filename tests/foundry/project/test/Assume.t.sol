// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Plain, Reverter} from "../src/Reverter.sol";
import {Vm} from "../src/Vm.sol";

contract AssumeTest is Base {
    Reverter internal reverter;

    function setUp() public {
        reverter = new Reverter(false);
    }

    function assumeNot() external pure {
        vm.assume(false);
    }

    function test_AssumeWhatIsTrue() public pure {
        vm.assume(true);
    }

    function test_AssumeMayBeCaught() public view {
        try this.assumeNot() {
            revert("it fails");
        } catch (bytes memory data) {
            check(same(data, bytes("FOUNDRY::ASSUME")), hexadecimal(data));
        }
    }

    function test_SkipMayBeCaught() public {
        (bool done, bytes memory data) = address(vm).call(abi.encodeWithSignature("skip(bool)", true));
        check(!done, "it fails");
        check(same(data, bytes("FOUNDRY::SKIP")), hexadecimal(data));
    }

    function test_SkipNot() public pure {
        vm.skip(false);
        vm.skip(false, "never");
    }

    function test_Skips_Now() public pure {
        vm.skip(true);
    }

    function test_Skips_ForAReason() public pure {
        vm.skip(true, "because");
    }

    function test_Skips_BeforeAFailure() public pure {
        vm.skip(true);
        revert("not reached");
    }

    function test_SkipInACallee() public view {
        try this.skipNow() {} catch {}
    }

    function skipNow() external pure {
        vm.skip(true);
    }

    function test_SkipInACalleeIsRefused() public {
        (bool done, bytes memory data) = address(this).call(abi.encodeCall(this.skipNow, ()));
        check(!done, "it fails");
        checkError(data, "CheatcodeError", "vm.skip: `skip` can only be used at test level");
    }

    function testFuzz_Skips_All(uint256) public pure {
        vm.skip(true);
    }

    function testFuzz_Skips_Some(uint256 number) public pure {
        vm.skip(number >= 0);
        revert("not reached");
    }

    function testFuzz_AssumeNoRevert(bool fails) public {
        vm.assumeNoRevert();
        reverter.worksOrNot(fails);
        check(!fails, "the others are dropped");
    }

    function testFuzz_AssumeNoRevertOfAReason(bool fails) public {
        vm.assumeNoRevert(
            Vm.PotentialRevert({
                reverter: address(0),
                partialMatch: false,
                revertData: abi.encodeWithSignature("Error(string)", "it fails")
            })
        );
        reverter.worksOrNot(fails);
        check(!fails, "the others are dropped");
    }

    function testFuzz_Fails_AssumeNoRevertOfAnotherReason(bool fails) public {
        vm.assumeNoRevert(
            Vm.PotentialRevert({
                reverter: address(0),
                partialMatch: false,
                revertData: abi.encodeWithSelector(Plain.selector)
            })
        );
        reverter.worksOrNot(fails);
    }

    function testFuzz_AssumeNoRevertIsForOneCall(uint256 number) public {
        vm.assumeNoRevert();
        reverter.works();
        try reverter.withReason("why") {
            revert("it fails");
        } catch Error(string memory reason) {
            checkText(reason, "why");
        }
        number;
    }

    function seen(bytes memory data) internal returns (bytes memory output) {
        bool done;
        (done, output) = address(reverter).call(data);
        check(!done, "it fails");
    }

    function checkDiscarded(bytes memory output) internal pure {
        check(same(output, "FOUNDRY::ASSUME"), hexadecimal(output));
    }

    function checkPlain(bytes memory output) internal pure {
        check(same(output, abi.encodeWithSelector(Plain.selector)), hexadecimal(output));
    }

    function test_AssumeNoRevertMayBeCaught() public {
        vm.assumeNoRevert();
        checkDiscarded(seen(abi.encodeCall(Reverter.withPlain, ())));
        checkPlain(seen(abi.encodeCall(Reverter.withPlain, ())));
    }

    function test_AssumeNoRevertOfATextOrAPart() public {
        vm.assumeNoRevert(Vm.PotentialRevert(address(0), false, "why"));
        checkDiscarded(seen(abi.encodeCall(Reverter.withReason, ("why"))));
        vm.assumeNoRevert(Vm.PotentialRevert(address(0), true, abi.encodeWithSignature("Error(string)", "x")));
        checkDiscarded(seen(abi.encodeCall(Reverter.withReason, ("why"))));
    }

    function test_AssumeNoRevertOfAnotherKeepsTheData() public {
        vm.assumeNoRevert(Vm.PotentialRevert(address(0), false, "why not"));
        checkPlain(seen(abi.encodeCall(Reverter.withPlain, ())));
        vm.assumeNoRevert(Vm.PotentialRevert(address(0), false, ""));
        checkPlain(seen(abi.encodeCall(Reverter.withPlain, ())));
        vm.assumeNoRevert(Vm.PotentialRevert(alice, false, abi.encodeWithSelector(Plain.selector)));
        checkPlain(seen(abi.encodeCall(Reverter.withPlain, ())));
    }

    function test_AssumeNoRevertOfOneOfSome() public {
        Vm.PotentialRevert[] memory some = new Vm.PotentialRevert[](2);
        some[0] = Vm.PotentialRevert(address(reverter), false, "why");
        some[1] = Vm.PotentialRevert(address(reverter), false, abi.encodeWithSelector(Plain.selector));
        vm.assumeNoRevert(some);
        checkDiscarded(seen(abi.encodeCall(Reverter.withPlain, ())));
    }

    function test_AssumeNoRevertOfACreation() public {
        vm.assumeNoRevert();
        try new Reverter(true) {
            revert("it fails");
        } catch (bytes memory output) {
            check(!same(output, "FOUNDRY::ASSUME"), "a creation may revert");
        }
        checkDiscarded(seen(abi.encodeCall(Reverter.withPlain, ())));
    }

    function halts() external pure {
        assembly {
            invalid()
        }
    }

    function test_AssumeNoRevertOfAHalt() public {
        vm.assumeNoRevert();
        (bool done, bytes memory output) = address(this).call{gas: 10_000}(abi.encodeCall(this.halts, ()));
        check(!done && output.length == 0, "it halts");
        checkPlain(seen(abi.encodeCall(Reverter.withPlain, ())));
    }

    function test_AssumeNoRevertOfAPrecompile() public {
        vm.assumeNoRevert();
        (bool done, bytes memory output) = address(8).call{gas: 10_000}(hex"01");
        check(!done && output.length == 0, "it halts");
        checkPlain(seen(abi.encodeCall(Reverter.withPlain, ())));
    }

    function test_AssumeNoRevertWithoutMoney() public {
        vm.deal(address(this), 0);
        vm.assumeNoRevert();
        (bool done, bytes memory output) = address(8).call{value: 1}("");
        check(!done, "it is too dear");
        checkDiscarded(output);
    }

    function test_AssumeNoRevertOfAMock() public {
        vm.mockCallRevert(alice, bytes(""), hex"1234");
        vm.assumeNoRevert();
        (bool done, bytes memory output) = alice.call("");
        check(!done, "it fails");
        checkDiscarded(output);
    }

    function catches() external returns (bytes memory) {
        return seen(abi.encodeCall(Reverter.withPlain, ()));
    }

    function test_AssumeNoRevertIsForTheCallAlone() public {
        vm.assumeNoRevert();
        checkPlain(this.catches());
        checkPlain(seen(abi.encodeCall(Reverter.withPlain, ())));
    }

    function assumes() external pure {
        vm.assumeNoRevert();
    }

    function assumesAndReverts() external pure {
        vm.assumeNoRevert();
        revert Plain();
    }

    function test_AssumeNoRevertEndsWithItsFrame() public {
        this.assumes();
        checkPlain(seen(abi.encodeCall(Reverter.withPlain, ())));
        (, bytes memory output) = address(this).call(abi.encodeCall(this.assumesAndReverts, ()));
        checkDiscarded(output);
    }

    function test_AssumeNoRevertTwiceIsRefused() public {
        vm.assumeNoRevert();
        refused(
            abi.encodeWithSignature("assumeNoRevert()"),
            "vm.assumeNoRevert: you must make another external call prior to calling assumeNoRevert again"
        );
        reverter.works();
    }

    function test_AssumeNoRevertThatIsExpected() public {
        vm.assumeNoRevert();
        vm.expectRevert("FOUNDRY::ASSUME");
        reverter.withPlain();
    }

    function test_Fails_AssumeNoRevertAndAReason() public {
        vm.assumeNoRevert();
        vm.expectRevert(Plain.selector);
        reverter.withPlain();
    }

    function test_Fails_AssumeOfAUnitTest() public pure {
        vm.assume(false);
    }

    function test_Fails_AssumeNoRevertOfAUnitTest() public {
        vm.assumeNoRevert();
        reverter.withPlain();
    }

    function testFuzz_Fails_AssumeNothing(uint256 number) public pure {
        vm.assume(number == 1 && number == 2);
    }
}

contract SkippedTest is Base {
    function setUp() public pure {
        vm.skip(true);
    }

    function test_Skips_WhatSetUpSkips() public pure {
        revert("not reached");
    }

    function test_Skips_AllOfThem() public pure {}
}
