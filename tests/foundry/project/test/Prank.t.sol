// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Cheater, Mirror, Witness} from "../src/Peers.sol";
import {Vm} from "../src/Vm.sol";

contract PrankTest is Base {
    address internal constant SENDER = 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38;

    Witness internal witness;
    Witness internal other;
    Cheater internal cheater;

    function setUp() public {
        witness = new Witness();
        other = new Witness();
        cheater = new Cheater();
    }

    receive() external payable {}

    function whoAmI() external view returns (address) {
        return msg.sender;
    }

    function expectSender(address expected) internal {
        (address sender,) = witness.who();
        checkAddress(sender, expected);
    }

    function test_ChangesTheSenderOfOneCall() public {
        vm.prank(alice);
        expectSender(alice);
        expectSender(address(this));
    }

    function test_LeavesTheOrigin() public {
        vm.prank(alice);
        (, address origin) = witness.who();
        checkAddress(origin, SENDER);
        checkAddress(tx.origin, SENDER);
    }

    function test_WithOriginChangesBoth() public {
        vm.prank(alice, bob);
        (address sender, address origin) = witness.who();
        checkAddress(sender, alice);
        checkAddress(origin, bob);
        (, origin) = witness.who();
        checkAddress(origin, SENDER);
    }

    function test_StartLastsUntilStop() public {
        vm.startPrank(alice);
        expectSender(alice);
        expectSender(alice);
        vm.stopPrank();
        expectSender(address(this));
    }

    function test_StartWithOriginLastsUntilStop() public {
        vm.startPrank(alice, bob);
        witness.who();
        (address sender, address origin) = witness.who();
        checkAddress(sender, alice);
        checkAddress(origin, bob);
        vm.stopPrank();
        (, origin) = witness.who();
        checkAddress(origin, SENDER);
    }

    function test_OriginOfTheTestItselfUnderAPrank() public {
        vm.startPrank(alice, bob);
        checkAddress(tx.origin, SENDER);
        witness.who();
        checkAddress(tx.origin, SENDER);
    }

    function test_DeeperCallsHaveTheirOwnSender() public {
        vm.prank(alice);
        (address sender,) = witness.askOther(other);
        checkAddress(sender, address(witness));
    }

    function test_OriginReachesDeeperCalls() public {
        vm.prank(alice, bob);
        (, address origin) = witness.askOther(other);
        checkAddress(origin, bob);
    }

    function test_StaticCallsArePranked() public {
        vm.prank(alice);
        (address sender,) = witness.whoReads();
        checkAddress(sender, alice);
    }

    function test_CallsOfOneselfArePranked() public {
        vm.prank(alice);
        checkAddress(this.whoAmI(), alice);
    }

    function test_CallsWithinTheContractAreNot() public {
        vm.prank(alice);
        address sender = msg.sender;
        checkAddress(sender, SENDER);
        expectSender(alice);
    }

    function test_CreateIsPranked() public {
        uint64 nonce = vm.getNonce(alice);
        vm.prank(alice);
        Witness made = new Witness();
        checkAddress(made.sender(), alice);
        checkAddress(address(made), vm.computeCreateAddress(alice, nonce));
        checkUint(vm.getNonce(alice), nonce + 1);
    }

    function test_CreateLeavesTheNonceOfTheTest() public {
        uint64 nonce = vm.getNonce(address(this));
        vm.prank(alice);
        new Witness();
        checkUint(vm.getNonce(address(this)), nonce);
    }

    function test_CreateUsesThePrankUp() public {
        vm.prank(alice);
        new Witness();
        expectSender(address(this));
    }

    function test_Create2IsPranked() public {
        vm.prank(alice);
        Witness made = new Witness{salt: "salt"}();
        bytes32 hash = keccak256(type(Witness).creationCode);
        checkAddress(address(made), vm.computeCreate2Address("salt", hash, alice));
        checkAddress(made.sender(), alice);
    }

    function test_CreateWithOrigin() public {
        vm.prank(alice, bob);
        Witness made = new Witness();
        checkAddress(made.origin(), bob);
    }

    function test_ManyCreatesUnderStartPrank() public {
        vm.startPrank(alice);
        Witness one = new Witness();
        Witness two = new Witness();
        vm.stopPrank();
        checkAddress(address(one), vm.computeCreateAddress(alice, 0));
        checkAddress(address(two), vm.computeCreateAddress(alice, 1));
    }

    function test_CreateByTheCalleeIsNot() public {
        vm.prank(alice);
        Witness made = cheater.create();
        checkAddress(made.sender(), address(cheater));
    }

    function test_ValueIsPaidByThePranked() public {
        vm.deal(alice, 3 ether);
        uint256 before = address(this).balance;
        vm.prank(alice);
        witness.note{value: 1 ether}();
        checkUint(alice.balance, 2 ether);
        checkUint(address(witness).balance, 1 ether);
        checkUint(address(this).balance, before);
        checkUint(witness.value(), 1 ether);
    }

    function test_ValueOfACreateIsPaidByThePranked() public {
        vm.deal(alice, 3 ether);
        vm.prank(alice);
        Witness made = new Witness{value: 2 ether}();
        checkUint(alice.balance, 1 ether);
        checkUint(address(made).balance, 2 ether);
    }

    function test_ValueThatThePrankedHasNot() public {
        vm.prank(alice);
        (bool done, bytes memory data) = address(witness).call{value: 1}("");
        check(!done && data.length == 0, "paid");
        expectSender(address(this));
    }

    function test_ValueThatTheTestHasNot() public {
        vm.deal(address(this), 0);
        vm.deal(alice, 1 ether);
        vm.prank(alice);
        (bool done,) = address(witness).call{value: 1 ether}("");
        check(done, "the test need not be able to pay");
    }

    function test_TransferIsPranked() public {
        vm.deal(alice, 5);
        vm.prank(alice);
        payable(bob).transfer(5);
        checkUint(bob.balance, 5);
        checkUint(alice.balance, 0);
    }

    function test_RevertedCallUsesItUp() public {
        vm.prank(alice);
        try witness.fails() {} catch {}
        expectSender(address(this));
    }

    function test_CallOfAnEoaUsesItUp() public {
        vm.prank(alice);
        (bool done,) = bob.call("");
        check(done, "an account without code");
        expectSender(address(this));
    }

    function test_CallOfAPrecompileUsesItUp() public {
        vm.prank(alice);
        sha256("x");
        expectSender(address(this));
    }

    function test_CheatcodesLeaveIt() public {
        vm.prank(alice);
        vm.warp(77);
        vm.getNonce(bob);
        expectSender(alice);
    }

    function test_ARefusedCheatcodeLeavesIt() public {
        vm.prank(alice);
        (bool done,) = address(vm).call(abi.encodeCall(Vm.getMappingLength, (bob, 0)));
        (done,) = address(vm).call(abi.encodeCall(Vm.parseBool, ("no")));
        check(!done, "it parsed");
        expectSender(alice);
    }

    function test_TheConsoleLeavesIt() public {
        vm.prank(alice);
        (bool done,) = CONSOLE.staticcall(abi.encodeWithSignature("log(string)", "hello"));
        check(done, "the console answers");
        expectSender(alice);
    }

    function test_GetterCountsAsACall() public {
        vm.prank(alice);
        witness.sender();
        expectSender(address(this));
    }

    function test_DelegatecallOfALibrary() public {
        vm.prank(alice);
        (address sender, address self) = Mirror.whoAsks();
        checkAddress(sender, SENDER);
        checkAddress(self, address(this));
        expectSender(address(this));
    }

    function test_DelegatecallUnderStartPrank() public {
        vm.startPrank(alice);
        (address sender, address self) = Mirror.whoAsks();
        checkAddress(sender, SENDER);
        checkAddress(self, address(this));
        expectSender(alice);
    }

    function test_CallOfALibraryUnderStartPrank() public {
        vm.startPrank(alice);
        address sender = Mirror.askThrough(witness);
        checkAddress(sender, address(this));
    }

    function test_PrankedCalleeAsksALibrary() public {
        vm.startPrank(alice);
        (address sender, address self) = witness.askLibrary();
        checkAddress(sender, alice);
        checkAddress(self, address(witness));
    }

    function test_DelegatecallOfAPrankWithDelegate() public {
        vm.prank(address(witness), true);
        (bool done, bytes memory data) =
            address(other).delegatecall(abi.encodeCall(Witness.note, ()));
        check(done && data.length == 0, "delegatecall");
        checkAddress(witness.sender(), address(witness));
        checkAddress(other.sender(), address(this));
    }

    function test_PrankWithDelegateDoesCallsToo() public {
        vm.prank(address(other), true);
        expectSender(address(other));
    }

    function test_PrankWithDelegateNeedsCode() public {
        refused(
            abi.encodeWithSignature("prank(address,bool)", alice, true),
            "vm.prank: cannot `prank` delegate call from an EOA"
        );
    }

    function test_SecondPrankIsRefused() public {
        vm.prank(alice);
        refused(
            abi.encodeWithSignature("prank(address)", bob),
            "vm.prank: cannot overwrite a prank until it is applied at least once"
        );
        expectSender(alice);
    }

    function test_PrankOverUnusedStartPrank() public {
        vm.startPrank(alice);
        refused(
            abi.encodeWithSignature("prank(address)", bob),
            "vm.prank: cannot overwrite a prank until it is applied at least once"
        );
    }

    function test_PrankOverUsedStartPrank() public {
        vm.startPrank(alice);
        expectSender(alice);
        refused(
            abi.encodeWithSignature("prank(address)", bob),
            "vm.prank: cannot override an ongoing prank with a single vm.prank; "
            "use vm.startPrank to override the current prank"
        );
        expectSender(alice);
    }

    function test_StartPrankOverUnusedStartPrank() public {
        vm.startPrank(alice);
        refused(
            abi.encodeWithSignature("startPrank(address)", bob),
            "vm.startPrank: cannot overwrite a prank until it is applied at least once"
        );
    }

    function test_StartPrankOverUsedStartPrank() public {
        vm.startPrank(alice);
        expectSender(alice);
        vm.startPrank(bob);
        expectSender(bob);
        vm.stopPrank();
        expectSender(address(this));
    }

    function test_StartPrankOverUnusedPrank() public {
        vm.prank(alice);
        refused(
            abi.encodeWithSignature("startPrank(address)", bob),
            "vm.startPrank: cannot overwrite a prank until it is applied at least once"
        );
    }

    function test_StopWithoutStart() public {
        vm.stopPrank();
        expectSender(address(this));
    }

    function test_StopOfAnUnusedPrank() public {
        vm.prank(alice);
        vm.stopPrank();
        expectSender(address(this));
    }

    function test_StopOfAnUnusedStartPrank() public {
        vm.startPrank(alice);
        vm.stopPrank();
        vm.prank(bob);
        expectSender(bob);
    }

    function test_OfZero() public {
        vm.prank(address(0));
        expectSender(address(0));
    }

    function test_OfTheTestItself() public {
        vm.prank(address(this));
        expectSender(address(this));
    }

    function test_InAnInnerFrameEndsNothingOutside() public {
        address sender = cheater.prankAndAsk(alice, witness);
        checkAddress(sender, alice);
        expectSender(address(this));
    }

    function test_UnusedInAnInnerFrame() public {
        cheater.prank(alice);
        expectSender(address(this));
        // It waits until that contract calls at that depth.
        checkAddress(cheater.ask(witness), alice);
        checkAddress(cheater.ask(witness), address(cheater));
    }

    function test_StartedInAnInnerFrame() public {
        cheater.startPrank(alice);
        expectSender(address(this));
        checkAddress(cheater.ask(witness), alice);
        checkAddress(cheater.ask(witness), alice);
        cheater.stopPrank();
        checkAddress(cheater.ask(witness), address(cheater));
    }

    function test_SetInAFrameThatReverts() public {
        try cheater.prankAndFail(alice) {} catch {}
        expectSender(address(this));
        vm.prank(bob);
        expectSender(bob);
    }

    function test_StartedInAFrameThatReverts() public {
        try cheater.startPrankAndFail(alice) {} catch {}
        expectSender(address(this));
        vm.startPrank(bob);
        expectSender(bob);
    }

    function test_StoppedByAnInnerFrame() public {
        vm.startPrank(alice);
        cheater.stopPrank();
        expectSender(alice);
    }

    function test_StartedByOneStoppedByAnotherContract() public {
        cheater.startPrank(alice);
        new Cheater().stopPrank();
        checkAddress(cheater.ask(witness), address(cheater));
    }

    function test_OfAnotherContractAtTheSameDepth() public {
        cheater.startPrank(alice);
        Cheater stranger = new Cheater();
        checkAddress(stranger.ask(witness), address(stranger));
    }

    function test_ASecondPrankOfAnotherContractAtTheSameDepth() public {
        cheater.prank(alice);
        Cheater stranger = new Cheater();
        vm.expectRevert("vm.prank: cannot overwrite a prank until it is applied at least once");
        stranger.prank(bob);
    }

    function test_OuterPrankWhileAnInnerOneWaits() public {
        cheater.prank(alice);
        vm.prank(bob);
        expectSender(bob);
        checkAddress(cheater.ask(witness), alice);
    }

    function test_SetInAFrameThatRevertsStays() public {
        try cheater.prankAndFail(alice) {} catch {}
        checkAddress(cheater.ask(witness), alice);
        checkAddress(cheater.ask(witness), address(cheater));
    }

    function test_InnerStartPrankUnderStartPrank() public {
        vm.startPrank(alice);
        cheater.startPrank(bob);
        checkAddress(cheater.ask(witness), bob);
        expectSender(alice);
    }

    function test_InnerPrankUnderAPrank() public {
        vm.prank(alice);
        checkAddress(cheater.prankAndAsk(bob, witness), bob);
        expectSender(address(this));
    }

    function test_InnerStartPrankUnderAPrank() public {
        vm.prank(alice);
        vm.expectRevert("vm.startPrank: cannot override an ongoing prank with a single vm.prank; use vm.startPrank to override the current prank");
        cheater.startPrank(bob);
    }

    function test_InnerPrankUnderStartPrank() public {
        vm.startPrank(alice);
        vm.expectRevert(
            "vm.prank: cannot override an ongoing prank with a single vm.prank; "
            "use vm.startPrank to override the current prank"
        );
        cheater.prankAndAsk(bob, witness);
        expectSender(alice);
    }

    function test_ReadCallersWithoutAPrank() public view {
        (Vm.CallerMode mode, address sender, address origin) = vm.readCallers();
        checkUint(uint256(mode), 0);
        checkAddress(sender, SENDER);
        checkAddress(origin, SENDER);
    }

    function test_ReadCallersUnderAPrank() public {
        vm.prank(alice);
        (Vm.CallerMode mode, address sender, address origin) = vm.readCallers();
        checkUint(uint256(mode), uint256(Vm.CallerMode.Prank));
        checkAddress(sender, alice);
        checkAddress(origin, SENDER);
    }

    function test_ReadCallersUnderAStartPrank() public {
        vm.startPrank(alice, bob);
        (Vm.CallerMode mode, address sender, address origin) = vm.readCallers();
        checkUint(uint256(mode), uint256(Vm.CallerMode.RecurrentPrank));
        checkAddress(sender, alice);
        checkAddress(origin, bob);
    }

    function test_ReadCallersAfterUse() public {
        vm.prank(alice);
        witness.who();
        (Vm.CallerMode mode, address sender,) = vm.readCallers();
        checkUint(uint256(mode), 0);
        checkAddress(sender, SENDER);
    }

    function test_CallDoesNotRaiseTheNonceOfThePranked() public {
        vm.prank(alice);
        witness.who();
        checkUint(vm.getNonce(alice), 0);
    }

    function test_Fails_SecondPrank() public {
        vm.prank(alice);
        vm.prank(bob);
        witness.who();
    }

    function test_Fails_PrankIsUsedUp() public {
        vm.prank(alice);
        witness.who();
        expectSender(alice);
    }

    function test_Fails_PrankDoesNotReachTheCalleeOfTheCallee() public {
        vm.startPrank(alice);
        (address sender,) = witness.askOther(other);
        checkAddress(sender, alice);
    }

    function test_Fails_PoorPrankedCannotPay() public {
        vm.prank(alice);
        witness.note{value: 1 wei}();
    }
}
