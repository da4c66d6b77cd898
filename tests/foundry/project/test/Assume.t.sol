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
