// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Auctions in which who is outbid has a refund, and the best bid may be
/// retracted for ten minutes; then the one before it is the best again.
contract RetractedBid {
    struct Bid {
        address bidder;
        uint128 amount;
        uint64 at;
    }

    struct Auction {
        address seller;
        uint64 closes;
        bool settled;
        uint128 reserve;
        Bid[] bids;
    }

    uint256 public constant RAISE_BPS = 500;
    uint256 public constant PENALTY_BPS = 100;
    uint64 public constant REGRET = 10 minutes;

    Auction[] private auctions;
    mapping(uint256 => mapping(address => uint256)) public refundOf;
    mapping(address => uint256) public proceedsOf;
    uint256 public owed;

    event Created(uint256 indexed auction, address indexed seller, uint128 reserve, uint64 closes);
    event BidPlaced(uint256 indexed auction, address indexed bidder, uint256 amount);
    event BidRetracted(uint256 indexed auction, address indexed bidder, uint256 penalty);
    event Refunded(uint256 indexed auction, address indexed bidder, uint256 amount);
    event Settled(uint256 indexed auction, address indexed winner, uint256 amount);

    error UnknownAuction();
    error Closed();
    error StillOpen();
    error TooLow(uint256 least);
    error NotYours();
    error TooLate();
    error NothingDue();

    function create(uint128 reserve, uint64 duration) external returns (uint256 auction) {
        if (reserve < 0.01 ether) revert TooLow(0.01 ether);
        if (duration < 1 days || duration > 30 days) revert TooLate();
        auction = auctions.length;
        Auction storage each = auctions.push();
        each.seller = msg.sender;
        each.reserve = reserve;
        each.closes = uint64(block.timestamp) + duration;
        emit Created(auction, msg.sender, reserve, each.closes);
    }

    function bid(uint256 auction) external payable {
        Auction storage each = _open(auction);
        if (msg.sender == each.seller) revert NotYours();
        uint256 least = each.reserve;
        if (each.bids.length != 0) {
            Bid storage best = each.bids[each.bids.length - 1];
            if (best.bidder == msg.sender) revert NotYours();
            least = best.amount + best.amount * RAISE_BPS / 10_000;
            refundOf[auction][best.bidder] += best.amount;
        }
        if (msg.value < least) revert TooLow(least);
        each.bids.push(Bid(msg.sender, uint128(msg.value), uint64(block.timestamp)));
        owed += msg.value;
        emit BidPlaced(auction, msg.sender, msg.value);
    }

    /// Needs two other bids, so that an auction is not left with one bidder.
    function retract(uint256 auction) external {
        Auction storage each = _open(auction);
        uint256 count = each.bids.length;
        if (count < 3) revert NothingDue();
        Bid memory best = each.bids[count - 1];
        if (best.bidder != msg.sender) revert NotYours();
        if (block.timestamp > best.at + REGRET) revert TooLate();
        each.bids.pop();
        uint256 penalty = best.amount * PENALTY_BPS / 10_000;
        proceedsOf[each.seller] += penalty;
        refundOf[auction][msg.sender] += best.amount - penalty;
        // The one before is the best again, and has no refund. It may be gone already.
        Bid storage again = each.bids[count - 2];
        uint256 due = refundOf[auction][again.bidder];
        uint256 taken = due < again.amount ? due : again.amount;
        refundOf[auction][again.bidder] = due - taken;
        owed += again.amount - taken;
        emit BidRetracted(auction, msg.sender, penalty);
    }

    function withdrawRefund(uint256 auction) external {
        uint256 amount = refundOf[auction][msg.sender];
        if (amount == 0) revert NothingDue();
        refundOf[auction][msg.sender] = 0;
        owed -= amount;
        emit Refunded(auction, msg.sender, amount);
        _send(amount);
    }

    function settle(uint256 auction) external {
        if (auction >= auctions.length) revert UnknownAuction();
        Auction storage each = auctions[auction];
        if (block.timestamp < each.closes) revert StillOpen();
        if (each.settled || each.bids.length == 0) revert NothingDue();
        each.settled = true;
        Bid storage best = each.bids[each.bids.length - 1];
        proceedsOf[each.seller] += best.amount;
        emit Settled(auction, best.bidder, best.amount);
    }

    function withdrawProceeds() external {
        uint256 amount = proceedsOf[msg.sender];
        if (amount == 0) revert NothingDue();
        proceedsOf[msg.sender] = 0;
        owed -= amount;
        _send(amount);
    }

    function bestBid(uint256 auction) external view returns (address bidder, uint128 amount) {
        if (auction >= auctions.length) revert UnknownAuction();
        Auction storage each = auctions[auction];
        if (each.bids.length == 0) return (address(0), 0);
        Bid storage best = each.bids[each.bids.length - 1];
        return (best.bidder, best.amount);
    }

    function _open(uint256 auction) private view returns (Auction storage each) {
        if (auction >= auctions.length) revert UnknownAuction();
        each = auctions[auction];
        if (block.timestamp >= each.closes) revert Closed();
    }

    function _send(uint256 amount) private {
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent, "not sent");
    }

    /// Best bids, refunds and proceeds are backed.
    function echidna_ok() public view returns (bool) {
        return address(this).balance >= owed;
    }
}
