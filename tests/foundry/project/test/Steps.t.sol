// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";

/// What tests begin with, by `beforeTestSetup`; each has a step unless its name says otherwise.
contract StepsBeforeTest is Base {
    uint256 internal number;
    address internal caller;
    uint256[] public fixtureAsked = [3, 4];

    function beforeTestSetup(bytes4 test) public returns (bytes[] memory steps) {
        number = 1000;
        require(test != this.test_NoStepIfItReverts.selector, "no steps");
        if (test == this.test_NoStep.selector) return steps;
        steps = new bytes[](test == this.test_TwoSteps.selector ? 2 : 1);
        steps[0] = abi.encodeCall(this.add, (5));
        if (test == this.test_TwoSteps.selector) steps[1] = abi.encodeCall(this.add, (6));
        if (test == this.test_Fails_StepReverts.selector) steps[0] = abi.encodeCall(this.broken, ());
        if (test == this.testFuzz_Fails_StepReverts.selector) steps[0] = abi.encodeCall(this.broken, ());
        if (test == this.test_Fails_StepTells.selector) steps[0] = abi.encodeCall(this.told, ());
        if (test == this.test_Fails_StepIsSkipped.selector) steps[0] = abi.encodeCall(this.skipped, ());
        if (test == this.test_Fails_StepIsDiscarded.selector) steps[0] = abi.encodeCall(this.discarded, ());
        if (test == this.test_Fails_StepOfNobody.selector) steps[0] = hex"deadbeef";
        if (test == this.test_Fails_StepExpectsARevert.selector) steps[0] = abi.encodeCall(this.expects, ());
        if (test == this.test_PranksLast.selector) steps[0] = abi.encodeCall(this.pranks, ());
        if (test == this.test_TimeStays.selector) steps[0] = abi.encodeCall(this.warps, ());
    }

    function add(uint256 more) public {
        number += more;
        caller = msg.sender;
    }

    function broken() public pure {
        revert("broken");
    }

    function told() public {
        vm.store(address(vm), "failed", bytes32(uint256(1)));
    }

    function skipped() public {
        vm.skip(true);
    }

    function discarded() public pure {
        vm.assume(false);
    }

    function expects() public {
        vm.expectRevert();
    }

    function pranks() public {
        vm.startPrank(alice);
    }

    function warps() public {
        vm.warp(777);
    }

    function sender() public view returns (address) {
        return msg.sender;
    }

    function test_NoStep() public view {
        checkUint(number, 0);
    }

    function test_NoStepIfItReverts() public view {
        checkUint(number, 0);
    }

    function test_OneStep() public view {
        checkUint(number, 5);
        checkAddress(caller, msg.sender);
    }

    function test_TwoSteps() public view {
        checkUint(number, 11);
    }

    function test_PranksLast() public view {
        checkAddress(this.sender(), alice);
    }

    function test_TimeStays() public view {
        checkUint(block.timestamp, 777);
    }

    function test_Fails_StepReverts() public pure {}

    function test_Fails_StepTells() public pure {}

    function test_Fails_StepIsSkipped() public pure {}

    function test_Fails_StepIsDiscarded() public pure {}

    function test_Fails_StepOfNobody() public pure {}

    function test_Fails_StepExpectsARevert() public pure {}

    function testFuzz_EachRunAfterTheStep(uint256) public {
        checkUint(number, 5);
        number = 0;
    }

    function testFuzz_Fails_StepReverts(uint256) public pure {}

    function table_EachRowAfterTheStep(uint256 asked) public {
        checkUint(number, 5);
        check(asked == 3 || asked == 4, "asked");
        number = 0;
    }
}

/// Fixtures are asked before the steps, and invariants have none.
contract FixturesBeforeStepsTest is Base {
    uint256 internal number = 1;

    function beforeTestSetup(bytes4) public view returns (bytes[] memory steps) {
        steps = new bytes[](1);
        steps[0] = abi.encodeCall(this.add, (5));
    }

    function add(uint256 more) public {
        number += more;
    }

    function fixtureAsked() public view returns (uint256[] memory asked) {
        asked = new uint256[](1);
        asked[0] = number;
    }

    function table_FixturesAreThoseOfSetUp(uint256 asked) public view {
        checkUint(number, 6);
        checkUint(asked, 1);
    }
}

contract NoStepsTest is Base {
    uint256 internal number;

    function beforeTestSetup(bytes4) public view returns (bytes memory) {
        return abi.encodeCall(this.add, (5));
    }

    function add(uint256 more) public {
        number += more;
    }

    function test_AnotherAnswerMeansNone() public view {
        checkUint(number, 0);
    }
}

contract Idle {
    uint256 public number;

    function step() public {
        number++;
    }
}

contract InvariantsHaveNoStepsTest is Base {
    uint256 internal number;
    Idle internal idle = new Idle();

    function beforeTestSetup(bytes4) public view returns (bytes[] memory steps) {
        steps = new bytes[](1);
        steps[0] = abi.encodeCall(this.add, (5));
    }

    function add(uint256 more) public {
        number += more;
    }

    function invariant_NoStep() public view {
        checkUint(number, 0);
    }

    function test_Step() public view {
        checkUint(number, 5);
    }
}
