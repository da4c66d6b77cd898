// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";

interface Assertions {
    function assertTrue(bool fact, string calldata what) external pure;
}

// The cheatcodes, once more.
Assertions constant CHECKS = Assertions(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

interface Failing {
    function fails() external;
}

contract Peer {
    constructor(bool made) {
        require(made, "not made");
    }

    function fails() external pure {
        revert("the peer");
    }

    function panics() external pure {
        assert(false);
    }

    function halts() external pure {
        assembly {
            invalid()
        }
    }

    function catches(Failing other) external returns (bool) {
        try other.fails() {
            return true;
        } catch {
            return false;
        }
    }

    function passesOn(Failing other) external {
        other.fails();
    }

    function answers() external pure returns (uint256) {
        return 1;
    }
}

contract Maker {
    function makes() external {
        new Peer(false);
    }
}

contract Cheating is Base {
    function asserts() external pure {
        CHECKS.assertTrue(false, "a cheatcode");
    }

    function assumes() external pure {
        vm.assume(false);
    }

    function pranksTwice() external {
        vm.prank(alice);
        vm.prank(bob);
    }
}

/// forge-config: default.fuzz.fail_on_revert = false
contract FirstRevertsTest is Base {
    Peer internal peer;
    Cheating internal cheating;
    Failing internal itself;

    function setUp() public {
        peer = new Peer(true);
        cheating = new Cheating();
        itself = Failing(address(this));
        try peer.fails() {} catch {}
    }

    function fails() external pure {
        revert("the test");
    }

    /// Runs of which none succeeds show nothing.
    modifier sometimes(uint8 number) {
        if (number % 2 == 0) _;
    }

    function testFuzz_OfAPeer(uint8 number) public view sometimes(number) {
        peer.fails();
    }

    function testFuzz_OfAPeerThatPanics(uint8 number) public view sometimes(number) {
        peer.panics();
    }

    function testFuzz_OfAPeerOfAPeer(uint8 number) public sometimes(number) {
        peer.passesOn(Failing(address(peer)));
    }

    function testFuzz_WasCaught(uint8 number) public view sometimes(number) {
        try peer.fails() {} catch {}
        revert("the test");
    }

    function testFuzz_WasCaughtByAPeer(uint8 number) public sometimes(number) {
        peer.catches(Failing(address(peer)));
        revert("the test");
    }

    function testFuzz_WasCaughtBeforeAnAssertion(uint8 number) public view sometimes(number) {
        try peer.fails() {} catch {}
        CHECKS.assertTrue(false, "a cheatcode");
    }

    function testFuzz_WasCaughtBeforeACallIsMissed(uint8 number) public sometimes(number) {
        vm.expectCall(address(peer), hex"01020304");
        try peer.fails() {} catch {}
    }

    function testFuzz_OfAMock(uint8 number) public sometimes(number) {
        vm.mockCallRevert(address(peer), abi.encodeCall(Peer.answers, ()), "mocked");
        peer.answers();
    }

    function testFuzz_OfWhoCannotBePaid(uint8 number) public sometimes(number) {
        (bool done,) = bob.call{value: type(uint256).max}("");
        require(done, "not paid");
    }

    function testFuzz_OfAMakerWhoseCreationFails(uint8 number) public sometimes(number) {
        new Maker().makes();
    }

    function testFuzz_Sometimes(uint8 number) public view {
        if (number > 100) peer.fails();
    }

    function testFuzz_NobodyReverts(uint8) public view {
        check(peer.answers() == 1, "another answer");
    }

    function testFuzz_Fails_OfTheTest(uint8) public pure {
        revert("the test");
    }

    function testFuzz_Fails_AssertionOfTheTest(uint8) public pure {
        assert(false);
    }

    function testFuzz_Fails_OfTheTestCalledByAPeer(uint8) public {
        peer.passesOn(itself);
    }

    function testFuzz_Fails_OfTheTestBeforeAPeer(uint8) public {
        try this.fails() {} catch {}
        peer.fails();
    }

    function testFuzz_Fails_ACheatcodeOfTheTest(uint8) public pure {
        CHECKS.assertTrue(false, "a cheatcode");
    }

    function testFuzz_Fails_ACheatcodeOfAPeer(uint8) public view {
        cheating.asserts();
    }

    function testFuzz_Fails_ARefusedCheatcode(uint8) public {
        cheating.pranksTwice();
    }

    function testFuzz_Fails_AnAssumptionThatIsCaught(uint8) public view {
        try cheating.assumes() {} catch {}
        revert("the test");
    }

    function testFuzz_Fails_HaltsAreNoReverts(uint8) public view {
        try peer.halts{gas: 10_000}() {} catch {}
        revert("the test");
    }

    function testFuzz_Fails_OfACreation(uint8) public {
        new Peer(false);
    }

    function testFuzz_Fails_OfACreationThatIsCaught(uint8) public {
        try new Peer(false) {} catch {}
        revert("the test");
    }

    function testFuzz_Fails_AfterOneThatIsExpected(uint8) public {
        vm.expectRevert();
        peer.fails();
        revert("the test");
    }

    function testFuzz_Fails_AnotherThanExpected(uint8) public {
        vm.expectRevert(bytes("another"));
        peer.fails();
    }

    function testFuzz_Fails_NoneThoughExpected(uint8) public {
        vm.expectRevert();
        peer.answers();
    }

    function testFuzz_Fails_InItsName(uint8) public {
        (bool done,) = address(peer).delegatecall(abi.encodeCall(Peer.fails, ()));
        require(done, "the test");
    }

    function testFuzz_Fails_NobodyIsThere(uint8) public {
        peer = Peer(address(0x9999));
        peer.answers();
    }

    function testFuzz_Fails_APrecompile(uint8) public view {
        (bool done,) = address(8).staticcall(hex"01");
        require(done, "the test");
    }

    function testFuzz_Fails_OnlyOne(uint8 number) public view {
        if (number % 2 == 0) peer.fails();
        else revert("the test");
    }

    function test_Fails_UnitTestsDoNotCare() public view {
        peer.fails();
    }

    function fixtureRow() public pure returns (uint256[] memory rows) {
        rows = new uint256[](1);
    }

    function table_Fails_TablesDoNotCare(uint256 row) public view {
        if (row == 0) peer.fails();
    }
}

contract RevertsByDefaultTest is Base {
    Peer internal peer = new Peer(true);

    function testFuzz_Fails_OfAPeer(uint8) public view {
        peer.fails();
    }

    /// forge-config: default.fuzz.fail_on_revert = false
    function testFuzz_OfAPeer(uint8 number) public view {
        if (number % 2 == 0) peer.fails();
    }
}
