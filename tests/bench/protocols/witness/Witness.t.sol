// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import "../BadgeStaking.sol";
import "../BasketRebalancer.sol";
import "../BatchPayroll.sol";
import "../CoverPool.sol";
import "../DcaOrders.sol";
import "../DelegatedCouncil.sol";
import "../EpochVotes.sol";
import "../GiftVouchers.sol";
import "../GrantLedger.sol";
import "../KnockoutCup.sol";
import "../LoyaltyLocks.sol";
import "../MilestoneDesk.sol";
import "../NamespaceRegistry.sol";
import "../RedemptionRing.sol";
import "../RefinancePools.sol";
import "../TickLedger.sol";

interface Vm {
    function prank(address sender) external;
    function warp(uint256 timestamp) external;
    function deal(address to, uint256 amount) external;
}

interface Checked {
    function echidna_ok() external view returns (bool);
}

/// @dev Each test deploys a contract, replays the calls (no more than a week between two of them),
/// and sees the property hold before the last call and break with it.
contract WitnessTest {
    Vm internal constant VM = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address internal constant A = address(0x10000);
    address internal constant B = address(0x20000);
    address internal constant C = address(0x30000);

    uint256 internal clock = 1_700_000_000;
    address internal target;
    uint256 internal calls;

    event Calls(uint256 number);

    function setUp() public {
        VM.warp(clock);
        VM.deal(A, 1_000_000 ether);
        VM.deal(B, 1_000_000 ether);
        VM.deal(C, 1_000_000 ether);
    }

    // ---- stateful depth

    function test_GrantLedger() public {
        GrantLedger t = new GrantLedger();
        start(address(t));
        call(A, 2 ether, abi.encodeCall(t.openProgram, ()));
        call(A, 0, abi.encodeCall(t.offerGrant, (0, B, 1 ether, 30 days)));
        call(B, 0, abi.encodeCall(t.acceptGrant, (0)));
        call(B, 0, abi.encodeCall(t.requestSplit, (0, 0.5 ether)));
        call(A, 0, abi.encodeCall(t.approveSplit, (0)));
        pass(7 days);
        call(B, 0, abi.encodeCall(t.claim, (0)));
        call(B, 0, abi.encodeCall(t.executeSplit, (0)));
        last(B, 0, abi.encodeCall(t.mergeGrants, (0, 1)));
    }

    function test_DelegatedCouncil() public {
        DelegatedCouncil t = new DelegatedCouncil();
        start(address(t));
        call(B, 0, abi.encodeCall(t.registerCandidate, ()));
        call(C, 0, abi.encodeCall(t.registerCandidate, ()));
        call(A, 10 ether, abi.encodeCall(t.stake, ()));
        call(A, 0, abi.encodeCall(t.delegate, (B)));
        call(A, 0, abi.encodeCall(t.requestLeave, (4 ether)));
        pass(1 days);
        call(A, 0, abi.encodeCall(t.delegate, (C)));
        call(A, 0, abi.encodeCall(t.cancelLeave, ()));
        pass(1 days);
        last(A, 0, abi.encodeCall(t.delegate, (B)));
    }

    function test_RefinancePools() public {
        RefinancePools t = new RefinancePools();
        start(address(t));
        call(A, 5 ether, abi.encodeCall(t.createPool, (500)));
        call(B, 5 ether, abi.encodeCall(t.createPool, (800)));
        call(C, 0, abi.encodeCall(t.registerTitle, ()));
        call(A, 0, abi.encodeCall(t.appraise, (1, 4 ether)));
        pass(1 days);
        call(A, 0, abi.encodeCall(t.activatePool, (0)));
        call(B, 0, abi.encodeCall(t.activatePool, (1)));
        call(C, 0, abi.encodeCall(t.borrow, (0, 1, 2 ether)));
        pass(5 days);
        call(A, 0, abi.encodeCall(t.startAuction, (0)));
        pass(1 days);
        last(B, 0, abi.encodeCall(t.buyLoan, (0, 1)));
    }

    function test_BadgeStaking() public {
        BadgeStaking t = new BadgeStaking();
        start(address(t));
        call(C, 0, abi.encodeCall(t.announceSeason, (30 days)));
        call(A, 1 ether, abi.encodeCall(t.stake, ()));
        call(A, 3 ether, abi.encodeCall(t.stake, ()));
        pass(2 days);
        call(C, 10 ether, abi.encodeCall(t.openSeason, ()));
        pass(5 days);
        call(A, 0, abi.encodeCall(t.earnBadge, (1)));
        call(A, 0, abi.encodeCall(t.attachBadge, (1, 1)));
        pass(3 days);
        last(A, 0, abi.encodeCall(t.moveBadge, (1, 2)));
    }

    function test_MilestoneDesk() public {
        MilestoneDesk t = new MilestoneDesk();
        start(address(t));
        call(A, 5 ether, abi.encodeCall(t.hire, (2, 0, 2)));
        call(B, 4 ether, abi.encodeCall(t.hire, (0, 1, 4)));
        call(B, 0, abi.encodeCall(t.accept, (1, 1)));
        call(B, 0, abi.encodeCall(t.submit, (1, 1)));
        call(B, 0, abi.encodeCall(t.approve, (0, 1)));
        call(B, 0, abi.encodeCall(t.react, (1, 3, 1)));
        last(C, 0, abi.encodeCall(t.release, (1)));
    }

    function test_CoverPool() public {
        CoverPool t = new CoverPool();
        start(address(t));
        call(A, 10 ether, abi.encodeCall(t.deposit, ()));
        call(B, 1 ether, abi.encodeCall(t.buyCover, (3 ether, 7 days)));
        call(C, 4 ether, abi.encodeCall(t.buyCover, (6 ether, 28 days)));
        call(B, 0.1 ether, abi.encodeCall(t.fileClaim, (0)));
        call(A, 0, abi.encodeCall(t.approveClaim, (0)));
        call(C, 0, abi.encodeCall(t.approveClaim, (0)));
        pass(1 days);
        call(A, 0, abi.encodeCall(t.settleClaim, (0)));
        pass(7 days);
        call(A, 0, abi.encodeCall(t.expireCover, (0)));
        last(B, 2 ether, abi.encodeCall(t.buyCover, (9 ether, 7 days)));
    }

    // ---- hard data

    function test_BasketRebalancer() public {
        BasketRebalancer t = new BasketRebalancer();
        start(address(t));
        BasketRebalancer.Leg[] memory legs = new BasketRebalancer.Leg[](4);
        legs[0] = BasketRebalancer.Leg(0, 2_500, 10);
        legs[1] = BasketRebalancer.Leg(1, 2_500, -10);
        legs[2] = BasketRebalancer.Leg(3, 2_500, 0);
        legs[3] = BasketRebalancer.Leg(3, 2_500, 0);
        last(A, 0, abi.encodeCall(t.rebalance, (legs, 0)));
    }

    function test_BatchPayroll() public {
        BatchPayroll t = new BatchPayroll();
        start(address(t));
        bytes memory order = abi.encodePacked(uint8(2), uint8(2), uint64(1 << 63), uint16(2), uint16(3));
        uint8 sum;
        for (uint256 i = 0; i < order.length; i++) sum ^= uint8(order[i]);
        last(A, 0, abi.encodeCall(t.execute, (abi.encodePacked(order, sum))));
    }

    function test_TickLedger() public {
        TickLedger t = new TickLedger();
        start(address(t));
        call(A, 0, abi.encodeCall(t.mint, (-600, 600, 1e12)));
        last(B, 0, abi.encodeCall(t.mint, (-600 + 256 * 60, 256 * 600, 1e10)));
    }

    function test_TickLedger_inOneCall() public {
        TickLedger t = new TickLedger();
        start(address(t));
        last(A, 0, abi.encodeCall(t.mint, (-60, 255 * 60, 1e9)));
    }

    function test_NamespaceRegistry() public {
        NamespaceRegistry t = new NamespaceRegistry();
        start(address(t));
        call(A, 0.01 ether, abi.encodeCall(t.setMember, ("acme", "bobby", A, 1)));
        last(B, 0.01 ether, abi.encodeCall(t.setMember, ("acmeb", "obby", B, 9)));
    }

    function test_GiftVouchers() public {
        GiftVouchers t = new GiftVouchers();
        start(address(t));
        uint256 voucher = 7 | (1_005 << 16) | ((clock / 1 days + 30) << 48) | (2_500 << 72) | (0x11 << 120);
        voucher |= uint256(t.checkDigits(voucher)) << 128;
        call(A, 0, abi.encodeCall(t.redeem, (voucher)));
        last(A, 0, abi.encodeCall(t.redeem, (voucher | (1 << 200))));
    }

    // ---- accumulation

    function test_DcaOrders() public {
        DcaOrders t = new DcaOrders();
        start(address(t));
        call(A, 1.6 ether, abi.encodeCall(t.create, (16, 12 hours)));
        for (uint256 i = 0; i < 15; i++) {
            pass(12 hours);
            call(B, 0, abi.encodeCall(t.execute, (0)));
        }
        pass(12 hours);
        last(B, 0, abi.encodeCall(t.execute, (0)));
    }

    function test_RedemptionRing() public {
        RedemptionRing t = new RedemptionRing();
        start(address(t));
        call(A, 2 ether, abi.encodeCall(t.invest, ()));
        call(B, 2 ether, abi.encodeCall(t.invest, ()));
        call(C, 2 ether, abi.encodeCall(t.invest, ()));
        for (uint256 i = 0; i < 16; i++) {
            if (i % 3 == 0) pass(6 hours);
            call(i % 3 == 0 ? A : i % 3 == 1 ? B : C, 0, abi.encodeCall(t.request, (0.1 ether)));
        }
        last(B, 0, abi.encodeCall(t.request, (0.1 ether)));
    }

    function test_KnockoutCup() public {
        KnockoutCup t = new KnockoutCup();
        start(address(t));
        for (uint256 i = 0; i < 3; i++) call(A, 1 ether, abi.encodeCall(t.enter, ()));
        for (uint256 i = 0; i < 3; i++) call(B, 1 ether, abi.encodeCall(t.enter, ()));
        for (uint256 i = 0; i < 2; i++) call(C, 1 ether, abi.encodeCall(t.enter, ()));
        call(C, 0, abi.encodeCall(t.draw, ()));
        // 0 against 7, 1 against 6, 2 against 5, 3 against 4; the lower seat wins.
        for (uint256 m = 0; m < 7; m++) {
            uint8 winner = m < 4 ? uint8(m) : m == 5 ? 2 : 0;
            call(m == 3 ? B : A, 0, abi.encodeCall(t.report, (m, winner)));
            pass(2 days);
            call(C, 0, abi.encodeCall(t.confirm, (m)));
        }
        call(A, 0, abi.encodeCall(t.claim, (0)));
        call(A, 0, abi.encodeCall(t.sellSeat, (0, C)));
        call(C, 0, abi.encodeCall(t.claim, (0)));
        last(A, 0, abi.encodeCall(t.claim, (2)));
    }

    function test_EpochVotes() public {
        EpochVotes t = new EpochVotes();
        start(address(t));
        call(A, 1 ether, abi.encodeCall(t.join, ()));
        for (uint256 i = 0; i < 16; i++) {
            pass(2 days);
            call(B, 0, abi.encodeCall(t.closeEpoch, ()));
            if (i < 15) call(A, 1 ether, abi.encodeCall(t.deposit, ()));
        }
        last(A, 0, abi.encodeCall(t.withdraw, (1 ether)));
    }

    function test_LoyaltyLocks() public {
        LoyaltyLocks t = new LoyaltyLocks();
        start(address(t));
        call(A, 1 ether, abi.encodeCall(t.open, ()));
        for (uint256 i = 0; i < 20; i++) {
            pass(4 days);
            call(A, 0, abi.encodeCall(t.renew, ()));
        }
        pass(4 days);
        last(A, 0, abi.encodeCall(t.renew, ()));
    }

    // ---- helpers

    function start(address target_) internal {
        (target, calls) = (target_, 0);
        require(Checked(target_).echidna_ok(), "broken from the start");
    }

    function pass(uint256 time) internal {
        clock += time;
        VM.warp(clock);
    }

    function call(address sender, uint256 value, bytes memory data) internal {
        VM.prank(sender);
        (bool success, bytes memory result) = target.call{value: value}(data);
        if (!success) {
            assembly {
                revert(add(result, 32), mload(result))
            }
        }
        calls++;
    }

    function last(address sender, uint256 value, bytes memory data) internal {
        require(Checked(target).echidna_ok(), "broken before the last call");
        call(sender, value, data);
        require(calls <= 100, "too many calls");
        emit Calls(calls);
        require(!Checked(target).echidna_ok(), "not broken");
    }
}
