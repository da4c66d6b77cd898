// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Vm} from "../src/Vm.sol";

contract FuzzTest is Base {
    struct Point {
        uint8 x;
        int16 y;
    }

    enum Color {
        Red,
        Green,
        Blue
    }

    uint256 internal number = 1;

    // Values by the name of the parameter.
    uint256[] public fixtureAmount = [3, 5, 8];

    function fixtureAccount() public pure returns (address[] memory found) {
        found = new address[](2);
        found[0] = address(0xA11CE);
        found[1] = address(0xB0B);
    }

    function clamp(uint256 value, uint256 min, uint256 max) internal pure returns (uint256) {
        return min + value % (max - min + 1);
    }

    function testFuzz_Numbers(uint8 a, uint8 b) public pure {
        checkUint(uint256(a) + b, uint256(b) + a);
    }

    function testFuzz_AllTypes(
        bool a,
        int256 b,
        address c,
        bytes32 d,
        bytes calldata e,
        string calldata f,
        uint8[] calldata g,
        uint16[2] calldata h
    ) public pure {
        a;
        b;
        c;
        d;
        check(e.length < 1e6 && bytes(f).length < 1e6 && g.length < 1e6, "lengths");
        h;
    }

    function testFuzz_Structs(Point calldata point) public pure {
        check(point.x <= 255 && point.y <= 32767, "fits");
    }

    function testFuzz_Fails_EnumsAreAnyByte(Color color) public pure {
        check(uint8(color) < 3, "an enum has its values only");
    }

    function testFuzz_Assume(uint256 value) public pure {
        vm.assume(value > 10);
        check(value > 10, "the others are dropped");
    }

    function testFuzz_Clamped(uint256 value) public pure {
        value = clamp(value, 5, 9);
        check(value >= 5 && value <= 9, "between");
    }

    function testFuzz_EachRunStartsAfterSetUp(uint256 value) public {
        checkUint(number, 1);
        number = value;
    }

    function testFuzz_TimeIsThatOfSetUp(uint64 time) public {
        checkUint(block.timestamp, 1);
        vm.warp(time);
    }

    function testFuzz_Pranks(address account) public {
        vm.prank(account);
        checkAddress(this.who(), account);
    }

    function who() external view returns (address) {
        return msg.sender;
    }

    function testFuzz_SenderIsThatOfTests(uint256) public view {
        checkAddress(msg.sender, 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);
    }

    function testFuzz_ExpectRevert(uint256 divisor) public {
        vm.assume(divisor == 0 || divisor > 1000);
        if (divisor == 0) vm.expectRevert();
        this.divide(divisor);
    }

    function divide(uint256 divisor) external pure returns (uint256) {
        return 1000 / divisor;
    }

    function testAlsoWithoutTheWord(uint8 a) public pure {
        check(a < 256, "it has inputs");
    }

    function testFuzz_Fails_Often(uint256 value) public pure {
        check(value % 2 == 0, "half of them");
    }

    function testFuzz_Fails_Always(uint256) public pure {
        revert("always");
    }

    function testFuzz_Fails_Small(uint8 value) public pure {
        check(value < 200, "a fifth of them");
    }

    function testFuzz_Fails_Fixture(uint256 amount) public pure {
        check(amount != 5, "a fixture");
    }

    function testFuzz_Fails_FixtureOfAFunction(address account) public pure {
        check(account != address(0xB0B), "a fixture");
    }

    function testFuzz_Fails_FixtureWithAnUnderscore(uint256 _amount) public pure {
        check(_amount != 8, "a fixture");
    }

    function testFuzz_Fails_Overflow(uint256 a, uint256 b) public pure {
        a + b;
    }

    function testFuzz_Fails_Assertion(uint256 a) public {
        (bool done,) = address(vm).call(abi.encodeWithSignature("assertLt(uint256,uint256)", a, 1 << 200));
        check(done, "large numbers come");
    }

    /// forge-config: default.fuzz.runs = 1
    function testFuzz_OneRun(uint256) public pure {}

    /// forge-config: default.fuzz.max-test-rejects = 10
    function testFuzz_Fails_TooManyRejects(uint256 value) public pure {
        vm.assume(value == 77777);
    }

    /// forge-config: default.allow_internal_expect_revert = true
    function test_InternalReverts() public {
        vm.expectRevert("inner");
        inner();
    }

    function inner() internal pure {
        revert("inner");
    }

    function table_Twice(uint256 value, uint256 twice) public pure {
        checkUint(2 * value, twice);
    }

    uint256[] public fixtureValue = [1, 2, 3];
    uint256[] public fixtureTwice = [2, 4, 6];

    function table_Fails_Twice(uint256 value, uint256 wrong) public pure {
        checkUint(2 * value, wrong);
    }

    uint256[] public fixtureWrong = [2, 4, 7];
}
