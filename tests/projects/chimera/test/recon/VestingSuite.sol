// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {CryticAsserts} from "@chimera/CryticAsserts.sol";
import {FoundryAsserts} from "@chimera/FoundryAsserts.sol";
import {vm} from "@chimera/Hevm.sol";
import {VestingWallet} from "@openzeppelin/contracts/finance/VestingWallet.sol";
import {Suite} from "@recon/Suite.sol";

/// @notice OpenZeppelin's vesting wallet: ether and tokens, its owner may change.
abstract contract VestingSuite is Suite {
    address internal constant FIRST = address(0xA11CE);

    VestingWallet internal wallet;
    uint256 internal released;
    uint256 internal halves;

    function setup() internal override {
        _addActor(FIRST);
        _addActor(address(0xB0B));
        wallet = new VestingWallet(FIRST, uint64(block.timestamp), 100 days);
        vm.deal(address(wallet), 100 ether);
        _newAsset(6).mint(address(wallet), 1e12);
        _newAsset(18).mint(address(wallet), 1e24);
    }

    function wallet_release() public {
        uint256 balance = wallet.owner().balance;
        uint256 due = wallet.releasable();
        wallet.release();
        eq(wallet.owner().balance, balance + due, "not all that was due was paid");
        released = wallet.released();
        if (released >= 50 ether) ++halves;
    }

    function wallet_releaseAsset() public {
        address asset = address(_getAsset());
        uint256 due = wallet.releasable(asset);
        uint256 had = _getAsset().balanceOf(wallet.owner());
        wallet.release(asset);
        eq(_getAsset().balanceOf(wallet.owner()), had + due, "tokens are missing");
    }

    function wallet_hand_over(uint256 to) public asActor {
        address[] memory actors = _getActors();
        wallet.transferOwnership(actors[to % actors.length]);
    }

    function time_passes(uint256 by) public {
        vm.warp(block.timestamp + between(by, 1 hours, 20 days));
    }

    function property_no_more_than_is_vested() public {
        lte(wallet.released(), wallet.vestedAmount(uint64(block.timestamp)), "too much");
    }

    function property_all_goes_to_the_first() public {
        // The bug: the wallet can be handed over.
        eq(FIRST.balance, wallet.released(), "someone else was paid");
    }

    function canary_half() public {
        t(halves == 0, "canary: half was released");
    }
}

contract VestingTester is VestingSuite, CryticAsserts {
    constructor() payable {
        setup();
    }
}

contract VestingToFoundry is VestingSuite, FoundryAsserts {
    function setUp() public {
        setup();
        targetContract(address(this));
    }

    function invariant_nothing_falls() public {}

    function test_half_after_half_the_time() public {
        vm.warp(block.timestamp + 50 days);
        wallet_release();
        eq(released, 50 ether, "half");
        property_no_more_than_is_vested();
        wallet_releaseAsset();
    }

    function test_handed_over() public {
        switchActor(1);
        wallet_hand_over(2);
        vm.warp(block.timestamp + 50 days);
        wallet_release();
        property_all_goes_to_the_first();
    }
}
