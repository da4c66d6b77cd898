// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @dev Sells a token along a constant product, the ether side of which begins as virtual.
contract DcaPool {
    address public immutable desk;
    uint256 public etherReserve = 1_000 ether;
    uint256 public tokenReserve = 2_000_000e18;
    mapping(address => uint256) public balanceOf;

    constructor() {
        desk = msg.sender;
    }

    function buy(address to) external payable returns (uint256 out) {
        require(msg.sender == desk, "not the desk");
        out = (tokenReserve * msg.value) / (etherReserve + msg.value);
        etherReserve += msg.value;
        tokenReserve -= out;
        balanceOf[to] += out;
    }
}

/// @title DcaOrders
/// @notice Standing orders that buy in equal tranches, one each interval. Anybody may trigger a
/// tranche that is due.
contract DcaOrders {
    // What changes is packed into one word:
    //   bits 0..3 tranches done, 4..8 tranches in all, 9..48 last run, 49..80 interval,
    //   bit 81 paused, bit 82 closed, bits 96..255 owner
    uint256 internal constant DONE_MASK = 0xf;
    uint256 internal constant TIME_MASK = (1 << 40) - 1;
    uint256 internal constant PAUSED = 1 << 81;
    uint256 internal constant CLOSED = 1 << 82;

    uint256 public constant MAX_TRANCHES = 16;
    uint256 public constant MIN_INTERVAL = 12 hours;
    uint256 public constant MAX_INTERVAL = 5 days;
    uint256 public constant MAX_ORDERS = 20;

    DcaPool public immutable pool;
    uint256[] public states;
    uint256[] public trancheOf;

    event Created(uint256 indexed id, address indexed owner, uint256 tranches, uint256 tranche);
    event Executed(uint256 indexed id, uint256 number, uint256 bought);
    event Cancelled(uint256 indexed id, uint256 refund);

    constructor() {
        pool = new DcaPool();
    }

    function create(uint8 tranches, uint32 interval) external payable returns (uint256 id) {
        require(tranches >= 2 && tranches <= MAX_TRANCHES, "tranches");
        require(interval >= MIN_INTERVAL && interval <= MAX_INTERVAL, "interval");
        require(msg.value >= 0.05 ether && msg.value <= 10_000 ether, "amount");
        require(states.length < MAX_ORDERS, "full");
        uint256 tranche = msg.value / tranches;
        id = states.length;
        states.push(
            (uint256(tranches) << 4) | (block.timestamp << 9) | (uint256(interval) << 49)
                | (uint256(uint160(msg.sender)) << 96)
        );
        trancheOf.push(tranche);
        emit Created(id, msg.sender, tranches, tranche);
    }

    function execute(uint256 id) external {
        uint256 state = states[id];
        require(state & (PAUSED | CLOSED) == 0, "not running");
        uint256 count = doneOf(id);
        require(count < tranchesOf(id), "all done");
        uint256 last = (state >> 9) & TIME_MASK;
        uint256 interval = (state >> 49) & type(uint32).max;
        require(block.timestamp >= last + interval, "not due");

        state = (state & ~DONE_MASK) | ((count + 1) & DONE_MASK);
        state = (state & ~(TIME_MASK << 9)) | (block.timestamp << 9);
        states[id] = state;
        uint256 bought = pool.buy{value: trancheOf[id]}(ownerOf(id));
        emit Executed(id, count + 1, bought);
    }

    function setPaused(uint256 id, bool paused) external {
        require(ownerOf(id) == msg.sender, "not yours");
        states[id] = paused ? states[id] | PAUSED : states[id] & ~PAUSED;
    }

    function cancel(uint256 id) external {
        require(ownerOf(id) == msg.sender, "not yours");
        uint256 refund = remaining(id);
        require(refund > 0, "nothing left");
        states[id] |= CLOSED;
        emit Cancelled(id, refund);
        (bool sent,) = msg.sender.call{value: refund}("");
        require(sent, "payment");
    }

    function handOver(uint256 id, address to) external {
        require(ownerOf(id) == msg.sender && to != address(0), "not yours");
        states[id] = (states[id] & type(uint96).max) | (uint256(uint160(to)) << 96);
    }

    function doneOf(uint256 id) public view returns (uint256) {
        return states[id] & DONE_MASK;
    }

    function tranchesOf(uint256 id) public view returns (uint256) {
        return (states[id] >> 4) & 0x1f;
    }

    function ownerOf(uint256 id) public view returns (address) {
        return address(uint160(states[id] >> 96));
    }

    function remaining(uint256 id) public view returns (uint256) {
        if (states[id] & CLOSED != 0) return 0;
        return trancheOf[id] * (tranchesOf(id) - doneOf(id));
    }

    /// @notice What the orders still have to spend is here.
    function echidna_ok() public view returns (bool) {
        uint256 sum;
        for (uint256 i = 0; i < states.length; i++) sum += remaining(i);
        return sum <= address(this).balance;
    }
}
