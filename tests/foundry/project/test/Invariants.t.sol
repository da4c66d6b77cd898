// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Vm} from "../src/Vm.sol";

struct FuzzSelector {
    address addr;
    bytes4[] selectors;
}

struct FuzzArtifactSelector {
    string artifact;
    bytes4[] selectors;
}

struct FuzzInterface {
    address addr;
    string[] artifacts;
}

/// Counts what is called.
contract Counter {
    uint256 public ups;
    uint256 public downs;
    uint256 public resets;
    mapping(address => uint256) public by;
    address public last;

    function up() external {
        ups++;
        by[msg.sender]++;
        last = msg.sender;
    }

    function down() external {
        downs++;
        last = msg.sender;
    }

    function reset() external {
        resets++;
        last = msg.sender;
    }

    function look() external view returns (uint256) {
        return ups;
    }
}

contract Moody {
    uint256 public calls;

    function always() external {
        calls++;
        revert("always");
    }

    function works() external {
        calls++;
    }
}

contract Asserting {
    uint256 public calls;

    function asserts(uint256 number) external {
        calls++;
        assert(number == number + 1 - 1);
        assert(false);
    }
}

contract Assuming {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    uint256 public evens;
    uint256 public odds;

    function add(uint256 number) external {
        vm.assume(number % 2 == 0);
        number % 2 == 0 ? evens++ : odds++;
    }
}

contract Proxy {
    address internal immutable target;

    constructor(address implementation) {
        target = implementation;
    }

    fallback() external payable {
        (bool done, bytes memory data) = target.delegatecall(msg.data);
        require(done, "the implementation fails");
        assembly {
            return(add(data, 32), mload(data))
        }
    }
}

contract Factory {
    Counter[] public made;

    function make() external {
        if (made.length < 3) made.push(new Counter());
    }
}

contract PlainInvariants is Base {
    Counter internal counter;
    uint256 internal written;

    function setUp() public {
        counter = new Counter();
    }

    function invariant_Holds() public view {
        check(counter.ups() < 1_000_000, "few");
    }

    function invariant_Fails_ItIsCalled() public view {
        checkUint(counter.ups(), 0);
    }

    function invariant_Fails_SoIsTheOther() public view {
        checkUint(counter.downs(), 0);
    }

    function invariant_WhatTheInvariantWritesIsDropped() public {
        checkUint(written, 0);
        written = 1;
    }

    function statefulFuzz_HoldsByTheOtherPrefix() public view {
        check(counter.downs() < 1_000_000, "few");
    }

    function invariant_Fails_Assertion() public view {
        assert(counter.ups() == 0);
    }

    function test_AUnitTestBesides() public view {
        checkUint(counter.ups(), 0);
    }

    function testFuzz_AFuzzTestBesides(uint256) public view {
        checkUint(counter.ups(), 0);
    }
}

contract TheTestIsNoTarget is Base {
    uint256 public calls;

    function setUp() public {
        new Counter();
    }

    function poke() external {
        calls++;
    }

    function invariant_ItIsNotCalled() public view {
        checkUint(calls, 0);
    }
}

contract TheTestAsATarget is Base {
    uint256 public pokes;
    uint256 public setUps;
    uint256 public tests;

    function setUp() public {
        setUps++;
    }

    function targetContracts() public view returns (address[] memory found) {
        found = new address[](1);
        found[0] = address(this);
    }

    function poke() external {
        pokes++;
    }

    function test_Reserved() public {
        tests++;
    }

    function invariant_Fails_ItIsCalled() public view {
        checkUint(pokes, 0);
    }

    function invariant_ReservedNamesAreNot() public view {
        checkUint(setUps, 1);
        checkUint(tests, 0);
    }
}

contract TargetContracts is Base {
    Counter internal one;
    Counter internal two;

    function setUp() public {
        one = new Counter();
        two = new Counter();
    }

    function targetContracts() public view returns (address[] memory found) {
        found = new address[](1);
        found[0] = address(one);
    }

    function invariant_TheOtherIsNot() public view {
        checkUint(two.ups() + two.downs() + two.resets(), 0);
    }

    function invariant_Fails_ThisIsCalled() public view {
        checkUint(one.ups() + one.downs() + one.resets(), 0);
    }
}

contract ExcludeContracts is Base {
    Counter internal one;
    Counter internal two;

    function setUp() public {
        one = new Counter();
        two = new Counter();
    }

    function excludeContracts() public view returns (address[] memory found) {
        found = new address[](1);
        found[0] = address(one);
    }

    function invariant_ThisIsNot() public view {
        checkUint(one.ups() + one.downs() + one.resets(), 0);
    }

    function invariant_Fails_TheOtherIsCalled() public view {
        checkUint(two.ups() + two.downs() + two.resets(), 0);
    }
}

contract TargetSelectors is Base {
    Counter internal counter;

    function setUp() public {
        counter = new Counter();
    }

    function targetSelectors() public view returns (FuzzSelector[] memory found) {
        found = new FuzzSelector[](1);
        found[0].addr = address(counter);
        found[0].selectors = new bytes4[](1);
        found[0].selectors[0] = Counter.down.selector;
    }

    function invariant_TheOthersAreNot() public view {
        checkUint(counter.ups() + counter.resets(), 0);
    }

    function invariant_Fails_ThisIsCalled() public view {
        checkUint(counter.downs(), 0);
    }
}

contract ExcludeSelectors is Base {
    Counter internal counter;

    function setUp() public {
        counter = new Counter();
    }

    function excludeSelectors() public view returns (FuzzSelector[] memory found) {
        found = new FuzzSelector[](1);
        found[0].addr = address(counter);
        found[0].selectors = new bytes4[](2);
        found[0].selectors[0] = Counter.down.selector;
        found[0].selectors[1] = Counter.reset.selector;
    }

    function invariant_TheseAreNot() public view {
        checkUint(counter.downs() + counter.resets(), 0);
    }

    function invariant_Fails_TheOtherIs() public view {
        checkUint(counter.ups(), 0);
    }
}

contract TargetSenders is Base {
    Counter internal counter;

    function setUp() public {
        counter = new Counter();
    }

    function targetSenders() public pure returns (address[] memory found) {
        found = new address[](2);
        found[0] = address(0xA11CE);
        found[1] = address(0xB0B);
    }

    function invariant_OnlyThose() public view {
        address last = counter.last();
        check(last == address(0) || last == alice || last == bob, "one of them");
    }

    function invariant_Fails_Alice() public view {
        checkUint(counter.by(alice), 0);
    }

    function invariant_Fails_Bob() public view {
        checkUint(counter.by(bob), 0);
    }
}

contract ExcludeSenders is Base {
    Counter internal counter;

    function setUp() public {
        counter = new Counter();
    }

    function targetSenders() public pure returns (address[] memory found) {
        found = new address[](2);
        found[0] = address(0xA11CE);
        found[1] = address(0xB0B);
    }

    function excludeSenders() public pure returns (address[] memory found) {
        found = new address[](1);
        found[0] = address(0xB0B);
    }

    function invariant_BobIsExcluded() public view {
        checkUint(counter.by(bob), 0);
    }

    function invariant_Fails_AliceIsNot() public view {
        checkUint(counter.by(alice), 0);
    }
}

contract TargetArtifacts is Base {
    Counter internal counter;
    Moody internal moody;

    function setUp() public {
        counter = new Counter();
        moody = new Moody();
    }

    function targetArtifacts() public pure returns (string[] memory found) {
        found = new string[](1);
        found[0] = "test/Invariants.t.sol:Moody";
    }

    function invariant_TheOthersAreNot() public view {
        checkUint(counter.ups() + counter.downs() + counter.resets(), 0);
    }

    function invariant_Fails_ThisIs() public view {
        checkUint(moody.calls(), 0);
    }
}

contract ExcludeArtifacts is Base {
    Counter internal counter;
    Moody internal moody;

    function setUp() public {
        counter = new Counter();
        moody = new Moody();
    }

    function excludeArtifacts() public pure returns (string[] memory found) {
        found = new string[](1);
        found[0] = "test/Invariants.t.sol:Moody";
    }

    function invariant_ThisIsNot() public view {
        checkUint(moody.calls(), 0);
    }

    function invariant_Fails_TheOthersAre() public view {
        checkUint(counter.ups(), 0);
    }
}

contract TargetArtifactSelectors is Base {
    Counter internal counter;

    function setUp() public {
        counter = new Counter();
    }

    function targetArtifactSelectors() public pure returns (FuzzArtifactSelector[] memory found) {
        found = new FuzzArtifactSelector[](1);
        found[0].artifact = "test/Invariants.t.sol:Counter";
        found[0].selectors = new bytes4[](1);
        found[0].selectors[0] = Counter.reset.selector;
    }

    function invariant_TheOthersAreNot() public view {
        checkUint(counter.ups() + counter.downs(), 0);
    }

    function invariant_Fails_ThisIs() public view {
        checkUint(counter.resets(), 0);
    }
}

contract TargetInterfaces is Base {
    Counter internal counter;
    Proxy internal proxy;

    function setUp() public {
        counter = new Counter();
        proxy = new Proxy(address(new Moody()));
    }

    function targetContracts() public view returns (address[] memory found) {
        found = new address[](1);
        found[0] = address(proxy);
    }

    function targetInterfaces() public view returns (FuzzInterface[] memory found) {
        found = new FuzzInterface[](1);
        found[0].addr = address(proxy);
        found[0].artifacts = new string[](1);
        found[0].artifacts[0] = "Moody";
    }

    function invariant_Fails_TheProxyIsCalled() public view {
        checkUint(Moody(address(proxy)).calls(), 0);
    }

    function invariant_TheOthersAreNot() public view {
        checkUint(counter.ups() + counter.downs() + counter.resets(), 0);
    }
}

contract AfterInvariant is Base {
    Counter internal counter;

    function setUp() public {
        counter = new Counter();
    }

    function afterInvariant() public view {
        check(counter.ups() + counter.downs() + counter.resets() == 24, "all calls of a run are done");
    }

    function invariant_HoldsToTheEnd() public pure {}
}

contract AfterInvariantFails is Base {
    function setUp() public {
        new Counter();
    }

    function afterInvariant() public pure {
        revert("at the end");
    }

    function invariant_Fails_AtTheEnd() public pure {}
}

contract Reverts is Base {
    Moody internal moody;

    function setUp() public {
        moody = new Moody();
    }

    function invariant_RevertedCallsDoNoHarm() public view {
        check(moody.calls() < 1_000_000, "few");
    }

    /// forge-config: default.invariant.fail-on-revert = true
    function invariant_Fails_OnRevert() public pure {}
}

contract Asserts is Base {
    Asserting internal asserting;

    function setUp() public {
        asserting = new Asserting();
    }

    function invariant_Fails_ByAnAssertionOfTheTarget() public view {
        checkUint(asserting.calls(), 0);
    }
}

contract Failing {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    function assertsByCheatcode() external {
        (bool done, bytes memory data) = address(vm).call(abi.encodeWithSignature("assertTrue(bool)", false));
        if (!done) {
            assembly {
                revert(add(data, 32), mload(data))
            }
        }
    }
}

contract Marking {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    function mark() external {
        vm.store(address(vm), bytes32("failed"), bytes32(uint256(1)));
    }
}

contract Overflowing {
    function overflows(uint256 number) external pure returns (uint256) {
        return number + type(uint256).max;
    }

    function divides() external view returns (uint256) {
        return 1 / (gasleft() - gasleft());
    }

    function works() external {}

    function overflow() external {
        uint8 small = 255;
        small++;
    }
}

contract AssertsByCheatcode is Base {
    function setUp() public {
        new Failing();
    }

    function invariant_Fails_ByAnAssertionOfTheTarget() public pure {}
}

contract Marks is Base {
    function setUp() public {
        new Marking();
    }

    function invariant_Fails_ByTheMarkOfTheTarget() public pure {}
}

contract OtherPanics is Base {
    function setUp() public {
        new Overflowing();
    }

    function invariant_AreReverts() public pure {}
}

contract Assumes is Base {
    Assuming internal assuming;

    function setUp() public {
        assuming = new Assuming();
    }

    function invariant_TheOddAreDropped() public view {
        checkUint(assuming.odds(), 0);
    }

    function invariant_Fails_TheEvenAreNot() public view {
        checkUint(assuming.evens(), 0);
    }

    /// forge-config: default.invariant.fail-on-revert = true
    function invariant_AnAssumptionIsNoRevert() public pure {}
}

contract MadeDuringTheRun is Base {
    Factory internal factory;

    function setUp() public {
        factory = new Factory();
    }

    function invariant_Fails_ItIsCalled() public view {
        try factory.made(0) returns (Counter made) {
            checkUint(made.ups(), 0);
        } catch {}
    }
}

contract NothingToCall is Base {
    function setUp() public pure {}

    function invariant_Fails_NoContract() public pure {}
}

contract InvariantAtTheStart is Base {
    Counter internal counter;

    function setUp() public {
        counter = new Counter();
        counter.up();
    }

    function invariant_Fails_BeforeAnyCall() public view {
        checkUint(counter.ups(), 0);
    }
}

contract Depths is Base {
    Counter internal counter;

    function setUp() public {
        counter = new Counter();
    }

    function total() internal view returns (uint256) {
        return counter.ups() + counter.downs() + counter.resets();
    }

    /// forge-config: default.invariant.depth = 3
    function invariant_OfThree() public view {
        check(total() <= 3, "three calls");
    }

    /// forge-config: default.invariant.depth = 4
    function invariant_Fails_OfFour() public view {
        check(total() <= 3, "three calls");
    }
}

contract Times is Base {
    Counter internal counter;

    function setUp() public {
        vm.warp(1000);
        vm.roll(50);
        counter = new Counter();
    }

    function invariant_StandStill() public view {
        checkUint(block.timestamp, 1000);
        checkUint(block.number, 50);
    }
}

contract Warper {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    function forward() external {
        vm.warp(block.timestamp + 1);
    }
}

contract TimesOfHandlers is Base {
    function setUp() public {
        vm.warp(1000);
        new Warper();
    }

    function invariant_GoOn() public view {
        check(block.timestamp >= 1000, "never back");
    }

    function invariant_Fails_GoOnFromCallToCall() public view {
        check(block.timestamp < 1010, "ten calls");
    }
}

contract Values is Base {
    Counter internal counter;

    function setUp() public {
        counter = new Counter();
    }

    function invariant_UpsAreMaximized() public view returns (int256) {
        return int256(counter.ups());
    }

    function invariant_HoldsBesideAValue() public view {
        check(counter.ups() < 1 << 200, "few");
    }
}
