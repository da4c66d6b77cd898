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

/// Fixtures of more than a word. What they are can't be guessed, nor learned from the sources.
contract TextFixturesTest is Base {
    struct Pair {
        uint256 number;
        string text;
    }

    uint256 internal salt = 3;

    function secret(uint256 number) internal view returns (uint256 made) {
        made = number + salt;
        for (uint256 i = 0; i < 3; i++) made = uint256(keccak256(abi.encode(made)));
    }

    // No comparison shows what is meant, nor does anything that a test runs.
    bytes32[8] internal hashes;

    constructor() {
        for (uint256 i = 0; i < 8; i++) hashes[i] = keccak256(abi.encode(secret(i)));
    }

    function isSecret(uint256 value, uint256 number) internal view returns (bool) {
        return keccak256(abi.encode(value)) == hashes[number];
    }

    function secretText(uint256 number) internal view returns (string memory) {
        return vm.toString(secret(number));
    }

    function fixtureText() public view returns (string[] memory found) {
        found = new string[](2);
        found[0] = "short";
        found[1] = secretText(1);
    }

    function fixtureData(uint256 index) public view returns (bytes memory) {
        require(index < 2);
        return bytes(secretText(2 + index));
    }

    function fixtureMany() public view returns (uint256[][] memory found) {
        found = new uint256[][](1);
        found[0] = new uint256[](1);
        found[0][0] = secret(4);
    }

    function fixtureOne() public view returns (uint256[] memory found) {
        found = new uint256[](1);
        found[0] = secret(5);
    }

    function fixtureTwo() public view returns (uint256[2][] memory found) {
        found = new uint256[2][](1);
        found[0][0] = secret(6);
    }

    function fixturePair() public view returns (Pair[] memory found) {
        found = new Pair[](1);
        found[0] = Pair(secret(7), secretText(7));
    }

    uint256[] public fixtureUneven = [1, 2, 3];
    uint256[] public fixtureNone;

    function testFuzz_Fails_Text(string memory text) public view {
        check(!same(text, secretText(1)), "a fixture");
    }

    function testFuzz_Fails_Data(bytes memory _data) public view {
        check(!same(_data, bytes(secretText(3))), "a fixture");
    }

    function testFuzz_NotOfAnotherType(bytes memory text) public view {
        check(!same(text, bytes(secretText(1))), "a fixture");
    }

    function testFuzz_NotOfAnArray(uint256[] memory many) public view {
        for (uint256 i = 0; i < many.length; i++) check(!isSecret(many[i], 4), "a fixture");
    }

    function testFuzz_NotOfElements(uint256[] memory one) public view {
        for (uint256 i = 0; i < one.length; i++) check(!isSecret(one[i], 5), "a fixture");
    }

    function testFuzz_NotOfAFixedArray(uint256[2] memory two) public view {
        check(!isSecret(two[0], 6), "a fixture");
    }

    function testFuzz_NotOfAStruct(Pair memory pair) public view {
        check(!isSecret(pair.number, 7) && !same(pair.text, secretText(7)), "a fixture");
    }

    function table_Texts(string memory text, bytes memory data) public view {
        bool first = same(text, "short") && same(data, bytes(secretText(2)));
        check(first || same(text, secretText(1)) && same(data, bytes(secretText(3))), "rows");
    }

    function table_Fails_Text(string memory text) public view {
        check(!same(text, secretText(1)), "a fixture");
    }

    function table_Fails_Array(uint256[] memory many) public view {
        check(many[0] != secret(4), "a fixture");
    }

    function table_Fails_Struct(Pair memory pair) public view {
        check(!same(pair.text, secretText(7)), "a fixture");
    }

    function table_Fails_NoFixture(uint256 nobody) public pure {}

    function table_Fails_AnotherType(uint128 one) public pure {}

    function table_Fails_Uneven(uint256 one, uint256 uneven) public pure {}

    function table_Fails_Empty(uint256 none) public pure {}
}
