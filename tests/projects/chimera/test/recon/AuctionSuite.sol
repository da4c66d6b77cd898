// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {CryticAsserts} from "@chimera/CryticAsserts.sol";
import {FoundryAsserts} from "@chimera/FoundryAsserts.sol";
import {vm} from "@chimera/Hevm.sol";
import {WETH} from "solmate/src/tokens/WETH.sol";
import {SafeTransferLib} from "solmate/src/utils/SafeTransferLib.sol";
import {Suite} from "@recon/Suite.sol";

contract Auction {
    using SafeTransferLib for address;

    WETH public immutable weth = new WETH();
    address public leader;
    uint256 public bid;
    uint256 public ends = block.timestamp + 10_000 days;
    mapping(address => uint256) public refunds;

    receive() external payable {}

    function raise() external payable {
        require(block.timestamp < ends, "over");
        require(msg.value > bid, "too low");
        // The bug: who leads and raises again loses the first bid.
        if (leader != msg.sender) refunds[leader] += bid;
        (leader, bid) = (msg.sender, msg.value);
        weth.deposit{value: msg.value}();
    }

    function refund() external {
        uint256 amount = refunds[msg.sender];
        refunds[msg.sender] = 0;
        weth.withdraw(amount);
        msg.sender.safeTransferETH(amount);
    }
}

/// @notice An auction that keeps its bids in solmate's WETH.
abstract contract AuctionSuite is Suite {
    Auction internal auction;
    uint256 internal refunded;

    function setup() internal override {
        auction = new Auction();
        address[3] memory bidders = [address(0xA11CE), address(0xB0B), address(0xCA7)];
        for (uint256 i; i < bidders.length; ++i) {
            _addActor(bidders[i]);
            vm.deal(bidders[i], 1000 ether);
        }
    }

    receive() external payable {}

    function auction_raise(uint256 by) public {
        uint256 amount = auction.bid() + between(by, 1, 1 ether);
        vm.prank(_getActor());
        auction.raise{value: amount}();
    }

    function auction_refund() public {
        uint256 due = auction.refunds(_getActor());
        uint256 had = _getActor().balance;
        vm.prank(_getActor());
        auction.refund();
        eq(_getActor().balance, had + due, "a refund is missing");
        if (due > 0) ++refunded;
    }

    function time_passes(uint256 by) public {
        vm.warp(block.timestamp + between(by, 1, 1 days));
    }

    function property_all_bids_are_owed() public {
        uint256 owed = auction.bid();
        address[] memory actors = _getActors();
        for (uint256 i; i < actors.length; ++i) owed += auction.refunds(actors[i]);
        eq(auction.weth().balanceOf(address(auction)), owed, "a bid was lost");
    }

    function canary_refunded() public {
        t(refunded == 0, "canary: refunded");
    }
}

contract AuctionTester is AuctionSuite, CryticAsserts {
    constructor() payable {
        setup();
    }
}

contract AuctionToFoundry is AuctionSuite, FoundryAsserts {
    function setUp() public {
        setup();
        targetContract(address(this));
    }

    function invariant_nothing_falls() public {}

    function test_the_second_bidder_leads() public {
        switchActor(1);
        auction_raise(1 ether);
        switchActor(2);
        auction_raise(1 ether);
        switchActor(1);
        auction_refund();
        property_all_bids_are_owed();
    }

    function test_a_bid_is_lost() public {
        switchActor(1);
        auction_raise(1 ether);
        auction_raise(1 ether);
        property_all_bids_are_owed();
    }
}
