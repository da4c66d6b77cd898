// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Cheater} from "../src/Peers.sol";
import {Vm} from "../src/Vm.sol";

contract Clock {
    function now_() external view returns (uint256) {
        return block.timestamp;
    }

    function number() external view returns (uint256) {
        return block.number;
    }

    function difficulty() external view returns (uint256) {
        return block.prevrandao;
    }
}

contract BlockTest is Base {
    Clock internal clock;
    Cheater internal cheater;

    function setUp() public {
        clock = new Clock();
        cheater = new Cheater();
    }

    function one(bytes memory cheat) internal pure returns (bytes[] memory cheats) {
        cheats = new bytes[](1);
        cheats[0] = cheat;
    }

    function test_Defaults() public view {
        checkUint(block.timestamp, 1);
        checkUint(block.number, 1);
        checkUint(block.chainid, 31337);
        checkUint(block.basefee, 0);
        checkUint(block.prevrandao, 0);
        checkAddress(block.coinbase, address(0));
        checkUint(block.gaslimit, 1 << 30);
        checkUint(tx.gasprice, 0);
    }

    function test_BlobBaseFeeByDefault() public view {
        checkUint(block.blobbasefee, 1);
    }

    function test_Warp() public {
        vm.warp(1_700_000_000);
        checkUint(block.timestamp, 1_700_000_000);
        checkUint(clock.now_(), 1_700_000_000);
        checkUint(block.number, 1);
    }

    function test_WarpBack() public {
        vm.warp(100);
        vm.warp(3);
        checkUint(clock.now_(), 3);
        vm.warp(0);
        checkUint(clock.now_(), 0);
    }

    function test_WarpFar() public {
        vm.warp(type(uint256).max);
        checkUint(block.timestamp, type(uint256).max);
    }

    function test_GetBlockTimestamp() public {
        checkUint(vm.getBlockTimestamp(), 1);
        vm.warp(44);
        checkUint(vm.getBlockTimestamp(), 44);
    }

    function test_Roll() public {
        vm.roll(99);
        checkUint(block.number, 99);
        checkUint(clock.number(), 99);
        checkUint(block.timestamp, 1);
    }

    function test_RollFar() public {
        vm.roll(type(uint256).max);
        checkUint(block.number, type(uint256).max);
    }

    function test_GetBlockNumber() public {
        checkUint(vm.getBlockNumber(), 1);
        vm.roll(44);
        checkUint(vm.getBlockNumber(), 44);
    }

    function test_Fee() public {
        vm.fee(25 gwei);
        checkUint(block.basefee, 25 gwei);
    }

    function test_FeeTooHigh() public {
        refused(abi.encodeCall(Vm.fee, (1 << 64)), "vm.fee: base fee must be less than 2^64");
    }

    function test_ChainId() public {
        vm.chainId(10);
        checkUint(block.chainid, 10);
        checkUint(vm.getChainId(), 10);
    }

    function test_ChainIdTooHigh() public {
        refused(
            abi.encodeCall(Vm.chainId, (1 << 64)),
            "vm.chainId: chain ID must be less than 2^64"
        );
    }

    function test_Coinbase() public {
        vm.coinbase(alice);
        checkAddress(block.coinbase, alice);
    }

    function test_PrevrandaoOfBytes() public {
        vm.prevrandao(bytes32(uint256(12345)));
        checkUint(block.prevrandao, 12345);
        checkUint(clock.difficulty(), 12345);
    }

    function test_PrevrandaoOfANumber() public {
        vm.prevrandao(uint256(777));
        checkUint(block.prevrandao, 777);
    }

    function test_DifficultyIsRefused() public {
        refused(
            abi.encodeCall(Vm.difficulty, (5)),
            "vm.difficulty: `difficulty` is not supported after the Paris hard fork, use `prevrandao` instead; "
            "see EIP-4399: https://eips.ethereum.org/EIPS/eip-4399"
        );
    }

    function test_TxGasPrice() public {
        vm.txGasPrice(7 gwei);
        checkUint(tx.gasprice, 7 gwei);
    }

    function test_TxGasPriceTooHigh() public {
        refused(
            abi.encodeCall(Vm.txGasPrice, (1 << 64)), "vm.txGasPrice: gas price must be less than 2^64"
        );
    }

    function test_BlobBaseFee() public {
        // It is the excess of blob gas that is set, of which the fee is computed.
        vm.blobBaseFee(6);
        checkUint(block.blobbasefee, 1);
        vm.blobBaseFee(10_000_000);
        checkUint(block.blobbasefee, 19);
    }

    function test_GetBlobBaseFee() public {
        vm.blobBaseFee(6);
        checkUint(vm.getBlobBaseFee(), 6);
    }

    function test_Blobhashes() public {
        bytes32[] memory hashes = new bytes32[](2);
        hashes[0] = bytes32(uint256(1) << 248 | 11);
        hashes[1] = bytes32(uint256(1) << 248 | 22);
        vm.blobhashes(hashes);
        check(blobhash(0) == hashes[0] && blobhash(1) == hashes[1], "hashes");
        check(blobhash(2) == 0, "no third");
        check(same(abi.encode(vm.getBlobhashes()), abi.encode(hashes)), "getBlobhashes");
    }

    function test_SetBlockhash() public {
        vm.roll(100);
        vm.setBlockhash(99, bytes32(uint256(0xabc)));
        checkUint(uint256(blockhash(99)), 0xabc);
    }

    function test_SetBlockhashOfTheFuture() public {
        refused(
            abi.encodeCall(Vm.setBlockhash, (5, bytes32(uint256(1)))),
            "vm.setBlockhash: block number must be less than or equal to the current block number"
        );
    }

    function test_BlobBaseFeeGrowsUntilItWraps() public {
        vm.blobBaseFee(200_000_000);
        checkUint(block.blobbasefee, 5448248405279283718928058);
        vm.blobBaseFee(400_000_000);
        checkUint(block.blobbasefee, 22236482106411018840077434);
    }

    function test_NoBlobsByDefault() public view {
        checkUint(vm.getBlobBaseFee(), 0);
        checkUint(vm.getBlobhashes().length, 0);
    }

    function test_SetBlockhashOfTheBlockItself() public {
        vm.roll(50);
        vm.setBlockhash(50, bytes32(uint256(7)));
        checkUint(uint256(blockhash(50)), 0);
        vm.roll(51);
        checkUint(uint256(blockhash(50)), 7);
    }

    function test_SetBlockhashTooFar() public {
        refused(
            abi.encodeCall(Vm.setBlockhash, (1 << 64, 0)), "vm.setBlockhash: blockNumber must be less than 2^64"
        );
    }

    function test_HashesAndSnapshots() public {
        bytes32[] memory hashes = new bytes32[](1);
        hashes[0] = bytes32(uint256(5));
        uint256 number = vm.snapshotState();
        vm.roll(50);
        vm.setBlockhash(49, bytes32(uint256(7)));
        vm.blobhashes(hashes);
        vm.blobBaseFee(10_000_000);
        vm.revertToState(number);
        checkUint(block.blobbasefee, 1);
        checkUint(vm.getBlobBaseFee(), 0);
        checkUint(uint256(blobhash(0)), 5);
        vm.roll(50);
        check(blockhash(49) == keccak256("49"), "the one from before");
    }

    function test_HashesSurviveTheRevertOfTheFrame() public {
        bytes32[] memory hashes = new bytes32[](1);
        hashes[0] = bytes32(uint256(5));
        bytes[] memory cheats = new bytes[](2);
        cheats[0] = abi.encodeCall(Vm.setBlockhash, (0, bytes32(uint256(7))));
        cheats[1] = abi.encodeCall(Vm.blobhashes, (hashes));
        try cheater.run(cheats, true) {
            revert("it fails");
        } catch {}
        checkUint(uint256(blockhash(0)), 7);
        checkUint(uint256(blobhash(0)), 5);
    }

    function test_SetBlockhashOfLongAgo() public {
        vm.roll(1000);
        vm.setBlockhash(10, bytes32(uint256(0xabc)));
        checkUint(uint256(blockhash(10)), 0);
    }

    function test_BlockhashIsThatOfTheNumber() public {
        vm.roll(10);
        check(blockhash(9) == keccak256("9"), hexadecimal(abi.encode(blockhash(9))));
        check(blockhash(10) == 0, "not of the block itself");
        check(blockhash(0) != 0, "of the first");
    }

    function test_WarpInACalleeStays() public {
        cheater.run(one(abi.encodeCall(Vm.warp, (55))), false);
        checkUint(block.timestamp, 55);
    }

    function test_WarpSurvivesTheRevertOfTheFrame() public {
        try cheater.run(one(abi.encodeCall(Vm.warp, (55))), true) {
            revert("it fails");
        } catch {}
        checkUint(block.timestamp, 55);
        checkUint(clock.now_(), 55);
    }

    function test_RollSurvivesTheRevertOfTheFrame() public {
        try cheater.run(one(abi.encodeCall(Vm.roll, (55))), true) {
            revert("it fails");
        } catch {}
        checkUint(block.number, 55);
    }

    function test_OthersSurviveTheRevertOfTheFrame() public {
        bytes[] memory cheats = new bytes[](5);
        cheats[0] = abi.encodeCall(Vm.fee, (9));
        cheats[1] = abi.encodeCall(Vm.chainId, (10));
        cheats[2] = abi.encodeCall(Vm.coinbase, (alice));
        cheats[3] = abi.encodeCall(Vm.txGasPrice, (11));
        cheats[4] = abi.encodeWithSignature("prevrandao(uint256)", 12);
        try cheater.run(cheats, true) {
            revert("it fails");
        } catch {}
        checkUint(block.basefee, 9);
        checkUint(block.chainid, 10);
        checkAddress(block.coinbase, alice);
        checkUint(tx.gasprice, 11);
        checkUint(block.prevrandao, 12);
    }

    function test_Fails_AFrameWaitsForTheWarp() public {
        vm.warp(10);
        checkUint(block.timestamp, 1);
    }

    function test_Fails_RollDoesNotWarp() public {
        vm.roll(50);
        checkUint(block.timestamp, 50);
    }

    function test_Fails_DifficultyIsOfThePast() public {
        vm.difficulty(5);
    }
}

contract BlockOfSetUpTest is Base {
    Cheater internal cheater;

    uint256 internal chainOfSetUp;
    uint256 internal timeOfSetUp;

    constructor() {
        vm.chainId(8453);
        vm.warp(500);
        vm.roll(50);
        vm.coinbase(alice);
    }

    function setUp() public {
        chainOfSetUp = block.chainid;
        timeOfSetUp = block.timestamp;
        vm.roll(200);
        vm.fee(3);
        vm.chainId(77);
        vm.txGasPrice(6);
        vm.prevrandao(uint256(8));
        vm.setBlockhash(199, bytes32(uint256(9)));
        cheater = new Cheater();
    }

    function test_WhatSetUpSaidHolds() public view {
        checkUint(block.number, 200);
        checkUint(block.basefee, 3);
        checkUint(tx.gasprice, 6);
        checkUint(block.prevrandao, 8);
        checkUint(uint256(blockhash(199)), 9);
    }

    function test_WhatTheConstructorSaidHolds() public view {
        checkUint(timeOfSetUp, 500);
        checkUint(block.timestamp, 500);
        checkAddress(block.coinbase, alice);
    }

    function test_TheChainIdOfTheConstructorIsLost() public view {
        checkUint(chainOfSetUp, 31337);
        checkUint(block.chainid, 77);
    }

    function test_TestsDoNotSeeEachOther1() public {
        checkUint(block.number, 200);
        vm.roll(2000);
    }

    function test_TestsDoNotSeeEachOther2() public {
        checkUint(block.number, 200);
        vm.roll(3000);
    }
}
