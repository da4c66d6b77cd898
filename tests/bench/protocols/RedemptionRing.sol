// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title RedemptionRing
/// @notice Investors ask for their money back, and are served in the order in which they asked. The
/// requests stand in a ring, of which each investor may use a part.
contract RedemptionRing {
    struct Request {
        address investor;
        uint96 amount;
    }

    address public constant OPERATOR = address(0x10000);
    uint256 public constant CAPACITY = 16;
    uint256 public constant PER_INVESTOR = 6;
    uint256 public constant MIN_REQUEST = 0.05 ether;
    uint256 public constant NOTICE = 4 days;
    uint256 public constant PAUSE = 6 hours;

    Request[16] internal ring;
    mapping(uint256 => uint64) public requestedAt;
    uint64 public head;
    uint64 public tail;

    mapping(address => uint256) public holding;
    mapping(address => uint256) public pendingOf;
    mapping(address => uint256) public openOf;
    mapping(address => uint256) public lastRequest;
    address[] public investors;
    mapping(address => bool) internal known;
    uint256 public totalHolding;
    uint256 public totalPending;

    event Invested(address indexed investor, uint256 amount);
    event Requested(uint256 indexed ticket, address indexed investor, uint256 amount);
    event Redeemed(uint256 indexed ticket, address indexed investor, uint256 amount);

    function invest() external payable {
        require(msg.value >= 1 ether && msg.value <= 1_000_000 ether, "amount");
        if (!known[msg.sender]) {
            require(investors.length < 12, "full");
            known[msg.sender] = true;
            investors.push(msg.sender);
        }
        holding[msg.sender] += msg.value;
        totalHolding += msg.value;
        emit Invested(msg.sender, msg.value);
    }

    function request(uint96 amount) external returns (uint256 ticket) {
        require(amount >= MIN_REQUEST && amount <= holding[msg.sender], "amount");
        require(openOf[msg.sender] < PER_INVESTOR, "too many open");
        require(block.timestamp >= lastRequest[msg.sender] + PAUSE, "too soon");
        require(tail - head <= CAPACITY, "ring full");
        lastRequest[msg.sender] = block.timestamp;
        holding[msg.sender] -= amount;
        totalHolding -= amount;
        pendingOf[msg.sender] += amount;
        totalPending += amount;
        openOf[msg.sender]++;
        ticket = tail++;
        requestedAt[ticket] = uint64(block.timestamp);
        ring[ticket % CAPACITY] = Request(msg.sender, amount);
        emit Requested(ticket, msg.sender, amount);
    }

    /// @notice Serve the first in the queue.
    function serve() external {
        require(msg.sender == OPERATOR, "not the operator");
        require(head < tail, "nothing to serve");
        uint256 ticket = head;
        require(block.timestamp >= requestedAt[ticket] + NOTICE, "under notice");
        Request memory first = ring[ticket % CAPACITY];
        head++;
        delete ring[ticket % CAPACITY];
        pendingOf[first.investor] -= first.amount;
        totalPending -= first.amount;
        openOf[first.investor]--;
        emit Redeemed(ticket, first.investor, first.amount);
        (bool sent,) = first.investor.call{value: first.amount}("");
        require(sent, "payment");
    }

    function transferHolding(address to, uint256 amount) external {
        require(known[to] && to != msg.sender, "unknown");
        holding[msg.sender] -= amount;
        holding[to] += amount;
    }

    function requestAt(uint256 ticket) public view returns (address investor, uint256 amount) {
        require(ticket >= head && ticket < tail, "not pending");
        Request storage found = ring[ticket % CAPACITY];
        return (found.investor, found.amount);
    }

    function queued(address investor) public view returns (uint256 sum) {
        for (uint256 ticket = head; ticket < tail; ticket++) {
            Request storage found = ring[ticket % CAPACITY];
            if (found.investor == investor) sum += found.amount;
        }
    }

    /// @notice What each investor waits for stands in the queue, and the money is here.
    function echidna_ok() public view returns (bool) {
        for (uint256 i = 0; i < investors.length; i++) {
            if (queued(investors[i]) != pendingOf[investors[i]]) return false;
        }
        return totalHolding + totalPending <= address(this).balance;
    }
}
