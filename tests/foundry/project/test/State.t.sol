// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Cheater, Witness} from "../src/Peers.sol";
import {Vm} from "../src/Vm.sol";

contract Box {
    uint256 public number = 5;
    address public owner;
    mapping(uint256 => uint256) public items;
    uint256 public immutable fixed_ = 77;

    constructor() payable {
        owner = msg.sender;
    }

    function set(uint256 value) external {
        number = value;
    }

    function put(uint256 key, uint256 value) external {
        items[key] = value;
    }

    function twice() external view returns (uint256) {
        return 2 * number;
    }
}

contract Triple {
    uint256 public number;

    function twice() external view returns (uint256) {
        return 3 * number;
    }
}

contract Child {}

/// Sets balances and nonces in frames that revert.
contract Undone {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    constructor() payable {}

    function twice(address to) external {
        vm.deal(to, 50);
        payable(to).transfer(3);
        vm.deal(to, 100);
        payable(to).transfer(4);
        revert("twice");
    }

    function inner(address to) external {
        try this.twice(to) {} catch {}
        payable(to).transfer(2);
        revert("inner");
    }

    function less(address to) external {
        payable(to).transfer(3);
        vm.deal(to, 1);
        revert("less");
    }

    function again(address to) external {
        try this.less(to) {} catch {}
        vm.deal(to, 1);
        revert("again");
    }

    function bothNonces() external {
        vm.setNonce(address(this), 10);
        new Child();
        vm.setNonce(address(this), 30);
        new Child();
        revert("both");
    }

    function lessNonce(uint64 nonce) external {
        new Child();
        vm.setNonceUnsafe(address(this), nonce);
        revert("less");
    }

    function resetNonce() external {
        new Child();
        vm.resetNonce(address(this));
        revert("reset");
    }

    function ofAChild() external {
        Child child = new Child();
        vm.setNonce(address(child), 9);
        vm.deal(address(child), 5);
        revert("child");
    }
}

contract StateTest is Base {
    Box internal box;
    Cheater internal cheater;

    function setUp() public {
        box = new Box();
        cheater = new Cheater();
    }

    function one(bytes memory cheat) internal pure returns (bytes[] memory cheats) {
        cheats = new bytes[](1);
        cheats[0] = cheat;
    }

    function test_BalancesAtTheStart() public view {
        checkUint(address(this).balance, type(uint96).max);
        checkUint(msg.sender.balance, type(uint96).max);
        checkUint(alice.balance, 0);
    }

    function test_Deal() public {
        vm.deal(alice, 12 ether);
        checkUint(alice.balance, 12 ether);
        vm.deal(alice, 1);
        checkUint(alice.balance, 1);
        vm.deal(alice, 0);
        checkUint(alice.balance, 0);
    }

    function test_DealToTheTest() public {
        vm.deal(address(this), 9);
        checkUint(address(this).balance, 9);
    }

    function test_DealTheMost() public {
        vm.deal(alice, type(uint256).max);
        checkUint(alice.balance, type(uint256).max);
    }

    function test_DealToAPrecompile() public {
        vm.deal(address(1), 5);
        checkUint(address(1).balance, 5);
    }

    function test_DealSurvivesTheRevertOfTheFrame() public {
        try cheater.run(one(abi.encodeCall(Vm.deal, (alice, 5))), true) {
            revert("it fails");
        } catch {}
        checkUint(alice.balance, 5);
    }

    function test_DealInACallee() public {
        cheater.run(one(abi.encodeCall(Vm.deal, (alice, 5))), false);
        checkUint(alice.balance, 5);
    }

    function test_Etch() public {
        vm.etch(alice, address(box).code);
        Box made = Box(alice);
        checkUint(made.number(), 0);
        made.set(4);
        checkUint(made.twice(), 8);
        checkUint(made.fixed_(), 77);
    }

    function test_EtchKeepsStorage() public {
        Triple triple = new Triple();
        vm.etch(address(box), address(triple).code);
        checkUint(box.twice(), 15);
    }

    function test_EtchNothingRemovesTheCode() public {
        vm.etch(address(box), "");
        checkUint(address(box).code.length, 0);
        check(address(box).codehash == keccak256(""), "an account without code");
    }

    function test_EtchOfAPrecompile() public {
        refused(
            abi.encodeCall(Vm.etch, (address(3), hex"00")),
            "vm.etch: cannot use precompile 0x0000000000000000000000000000000000000003 as an argument"
        );
    }

    function test_EtchOfTheTestItself() public {
        bytes memory code = address(this).code;
        vm.etch(address(this), code);
        check(same(address(this).code, code), "the same");
    }

    function test_EtchIsUndoneWithTheFrame() public {
        try cheater.run(one(abi.encodeCall(Vm.etch, (alice, hex"00"))), true) {
            revert("it fails");
        } catch {}
        checkUint(alice.code.length, 0);
    }

    function test_CodeOfTheCheatAddress() public view {
        check(address(vm).code.length > 0, "there is code");
        check(
            address(vm).codehash == 0xb0450508e5a2349057c3b4c9c84524d62be4bb17e565dbe2df34725a26872291,
            hexadecimal(abi.encode(address(vm).codehash))
        );
    }

    function test_CodeOfTheConsole() public view {
        checkUint(CONSOLE.code.length, 0);
    }

    function test_CodeOfTheCreate2Factory() public view {
        checkUint(0x4e59b44847b379578588920cA78FbF26c0B4956C.code.length, 69);
    }

    function test_Load() public view {
        checkUint(uint256(vm.load(address(box), 0)), 5);
        checkUint(uint256(vm.load(address(box), bytes32(uint256(1)))), uint160(address(this)));
        checkUint(uint256(vm.load(alice, 0)), 0);
    }

    function test_Store() public {
        vm.store(address(box), 0, bytes32(uint256(21)));
        checkUint(box.twice(), 42);
    }

    function test_StoreInAMapping() public {
        vm.store(address(box), keccak256(abi.encode(9, 2)), bytes32(uint256(3)));
        checkUint(box.items(9), 3);
    }

    function test_StoreOfAnEoa() public {
        vm.store(alice, bytes32(uint256(1)), bytes32(uint256(2)));
        checkUint(uint256(vm.load(alice, bytes32(uint256(1)))), 2);
    }

    function test_StoreOfAPrecompile() public {
        refused(
            abi.encodeCall(Vm.store, (address(2), 0, 0)),
            "vm.store: cannot use precompile 0x0000000000000000000000000000000000000002 as an argument"
        );
    }

    function test_LoadOfAPrecompile() public {
        refused(
            abi.encodeCall(Vm.load, (address(2), 0)),
            "vm.load: cannot use precompile 0x0000000000000000000000000000000000000002 as an argument"
        );
    }

    function test_StoreIsUndoneWithTheFrame() public {
        bytes[] memory cheats = one(abi.encodeCall(Vm.store, (address(box), 0, bytes32(uint256(1)))));
        try cheater.run(cheats, true) {
            revert("it fails");
        } catch {}
        checkUint(box.number(), 5);
    }

    function test_NonceOfTheTest() public {
        uint64 nonce = vm.getNonce(address(this));
        new Box();
        checkUint(vm.getNonce(address(this)), nonce + 1);
    }

    function test_NonceOfContracts() public view {
        checkUint(vm.getNonce(address(box)), 1);
        checkUint(vm.getNonce(alice), 0);
        checkUint(vm.getNonce(address(this)), 3);
    }

    function test_SetNonce() public {
        vm.setNonce(alice, 10);
        checkUint(vm.getNonce(alice), 10);
        vm.prank(alice);
        Box made = new Box();
        checkAddress(address(made), vm.computeCreateAddress(alice, 10));
        checkUint(vm.getNonce(alice), 11);
    }

    function test_SetNonceToTheSame() public {
        vm.setNonce(alice, 10);
        vm.setNonce(alice, 10);
        checkUint(vm.getNonce(alice), 10);
    }

    function test_SetNonceBackIsRefused() public {
        vm.setNonce(alice, 10);
        refused(
            abi.encodeCall(Vm.setNonce, (alice, 9)),
            "vm.setNonce: new nonce (9) must be strictly equal to or higher than the account's current nonce (10)"
        );
    }

    function test_SetNonceUnsafe() public {
        vm.setNonce(alice, 10);
        vm.setNonceUnsafe(alice, 2);
        checkUint(vm.getNonce(alice), 2);
    }

    function test_ResetNonceOfAnEoa() public {
        vm.setNonce(alice, 10);
        vm.resetNonce(alice);
        checkUint(vm.getNonce(alice), 0);
    }

    function test_ResetNonceOfAContract() public {
        vm.setNonce(address(box), 10);
        vm.resetNonce(address(box));
        checkUint(vm.getNonce(address(box)), 1);
    }

    function test_SetNonceSurvivesTheRevertOfTheFrame() public {
        try cheater.run(one(abi.encodeCall(Vm.setNonce, (alice, 5))), true) {
            revert("it fails");
        } catch {}
        checkUint(vm.getNonce(alice), 5);
    }

    function test_ResetNonceSurvivesTheRevertOfTheFrame() public {
        vm.setNonce(alice, 5);
        try cheater.run(one(abi.encodeCall(Vm.resetNonce, (alice))), true) {
            revert("it fails");
        } catch {}
        checkUint(vm.getNonce(alice), 0);
    }

    function test_DealOfWhatWasPaidInTheFrame() public {
        // The payment of the frame is undone, on top of what deal wrote.
        vm.deal(address(cheater), 10);
        (bool done,) = address(cheater).call(
            abi.encodeCall(Cheater.payAndRun, (payable(alice), 3, one(abi.encodeCall(Vm.deal, (alice, 100)))))
        );
        check(!done, "it fails");
        checkUint(alice.balance, 97);
        checkUint(address(cheater).balance, 10);
    }

    function runUndone(bytes memory data) internal returns (address) {
        Undone undone = new Undone{value: 1000}();
        (bool done,) = address(undone).call(data);
        check(!done, "it reverts");
        checkUint(address(undone).balance, 1000);
        return address(undone);
    }

    function test_DealsAddUp() public {
        runUndone(abi.encodeCall(Undone.twice, (alice)));
        checkUint(alice.balance, 97);
    }

    function test_DealsAddUpThroughFrames() public {
        runUndone(abi.encodeCall(Undone.inner, (alice)));
        checkUint(alice.balance, 97);
    }

    function test_DealOfLessThanWasPaid() public {
        runUndone(abi.encodeCall(Undone.less, (alice)));
        unchecked {
            checkUint(alice.balance, uint256(0) - 2);
        }
        runUndone(abi.encodeCall(Undone.again, (bob)));
        checkUint(bob.balance, 1);
    }

    function test_SetNoncesAddUp() public {
        checkUint(vm.getNonce(runUndone(abi.encodeCall(Undone.bothNonces, ()))), 29);
        checkUint(vm.getNonce(runUndone(abi.encodeCall(Undone.lessNonce, (3)))), 2);
        checkUint(vm.getNonce(runUndone(abi.encodeCall(Undone.lessNonce, (1)))), 0);
        checkUint(vm.getNonce(runUndone(abi.encodeCall(Undone.lessNonce, (0)))), 0);
        checkUint(vm.getNonce(runUndone(abi.encodeCall(Undone.resetNonce, ()))), 0);
    }

    function test_WhatTheFrameCreatedHasNoNonce() public {
        address made = runUndone(abi.encodeCall(Undone.ofAChild, ()));
        address child = vm.computeCreateAddress(made, 1);
        checkUint(vm.getNonce(child), 0);
        checkUint(child.balance, 5);
        checkUint(child.code.length, 0);
        checkUint(vm.getNonce(made), 1);
    }

    function test_CopyStorage() public {
        Box copy = new Box();
        box.set(123);
        vm.copyStorage(address(box), address(copy));
        checkUint(copy.number(), 123);
        copy.set(4);
        checkUint(box.number(), 123);
    }

    function test_CopyStorageReplacesAll() public {
        Box copy = new Box();
        box.put(1, 11);
        copy.put(2, 22);
        vm.copyStorage(address(box), address(copy));
        checkUint(copy.items(1), 11);
        checkUint(copy.items(2), 0);
    }

    function test_CopyStorageToAnEoa() public {
        box.set(8);
        vm.copyStorage(address(box), alice);
        checkUint(uint256(vm.load(alice, 0)), 8);
    }

    function test_CloneAccount() public {
        vm.deal(address(box), 4 ether);
        box.set(8);
        vm.cloneAccount(address(box), alice);
        checkUint(Box(alice).twice(), 16);
        checkUint(alice.balance, 4 ether);
        checkUint(vm.getNonce(alice), 1);
        checkUint(address(box).balance, 4 ether);
    }

    function test_GasMeteringMayPause() public {
        vm.pauseGasMetering();
        uint256 before = gasleft();
        box.set(9);
        checkUint(before, gasleft());
        vm.resumeGasMetering();
        vm.resetGasMetering();
        checkUint(box.number(), 9);
    }

    function test_UnknownSelector() public {
        (bool done, bytes memory data) = address(vm).call(hex"12345678");
        check(!done, "unknown");
        checkError(data, "CheatcodeError", 
            "unknown cheatcode with selector 0x12345678; you may have a mismatch between the `Vm` interface "
            "(likely in `forge-std`) and the `forge` version"
        );
    }

    function test_NoSelector() public {
        (bool done, bytes memory data) = address(vm).call("");
        check(!done, "unknown");
        checkError(data, "CheatcodeError", "type check failed for \"VmCalls\" with data: ");
    }

    function test_ArgumentsThatAreMissing() public {
        (bool done, bytes memory data) = address(vm).call(abi.encodeWithSelector(Vm.warp.selector));
        check(!done, "no argument");
        checkError(data, "CheatcodeError", "ABI decoding failed: buffer overrun while deserializing");
    }

    function test_SelectorThatIsTooShort() public {
        (bool done, bytes memory data) = address(vm).call(hex"1234");
        check(!done, "unknown");
        checkError(data, "CheatcodeError", "type check failed for \"VmCalls\" with data: 1234");
    }

    function test_ArgumentsThatAreTooMany() public {
        (bool done,) = address(vm).call(abi.encodePacked(abi.encodeCall(Vm.warp, (9)), hex"0102"));
        check(done, "they do no harm");
        checkUint(block.timestamp, 9);
    }

    function test_DirtyBitsOfAnAddress() public {
        bytes memory cheat =
            abi.encodeWithSelector(Vm.deal.selector, uint256(uint160(alice)) | (1 << 200), 5);
        (bool done, bytes memory data) = address(vm).call(cheat);
        check(done && data.length == 0, "they are ignored");
        checkUint(alice.balance, 5);
    }

    function test_ValueForACheatcode() public {
        (bool done,) = address(vm).call{value: 1}(abi.encodeCall(Vm.warp, (4)));
        check(done, "it works");
        checkUint(block.timestamp, 4);
        checkUint(address(vm).balance, 0);
        checkUint(address(this).balance, type(uint96).max);
    }

    function test_CheatcodesByDelegatecall() public {
        (bool done, bytes memory data) = address(vm).delegatecall(abi.encodeCall(Vm.warp, (4)));
        check(done && data.length == 0, "nothing happens");
        checkUint(block.timestamp, 1);
    }

    function test_CheatcodesByStaticcall() public {
        (bool done,) = address(vm).staticcall(abi.encodeCall(Vm.warp, (4)));
        check(done, "it works");
        checkUint(block.timestamp, 4);
        (done,) = address(vm).staticcall(abi.encodeCall(Vm.deal, (alice, 4)));
        check(done, "it works");
        checkUint(alice.balance, 4);
    }

    function test_Fails_BalanceIsNotPaid() public {
        vm.deal(alice, 5);
        checkUint(alice.balance + address(this).balance, type(uint96).max);
    }

    function test_Fails_EtchOfAPrecompile() public {
        vm.etch(address(4), hex"00");
    }

    function test_Fails_SetNonceBack() public {
        vm.setNonce(address(this), 0);
    }

    function test_Fails_UnknownCheatcode() public {
        (bool done,) = address(vm).call(abi.encodeWithSignature("hocuspocus()"));
        check(done, "unknown");
    }
}
