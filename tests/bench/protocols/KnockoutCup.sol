// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title KnockoutCup
/// @notice Eight seats, bought for an ether each, play a knock-out cup. A player of a match reports
/// its winner, and the other one confirms, or says nothing for two days. Seats can be sold.
contract KnockoutCup {
    struct Match {
        uint8 home;
        uint8 away;
        bool ready;
        bool decided;
        uint8 reported;
        address reporter;
        uint64 reportedAt;
    }

    uint256 public constant SEATS = 8;
    uint256 public constant MATCHES = 7;
    uint256 public constant PER_PLAYER = 3;
    uint256 public constant ENTRY = 1 ether;
    uint256 public constant OBJECTION = 2 days;

    address[] public seats;
    mapping(address => uint256) public held;
    mapping(uint256 => Match) public matches;
    mapping(uint256 => uint8) public wins;
    mapping(bytes32 => bool) public claimed;
    mapping(address => uint256) public credit;
    uint256 public totalCredited;
    uint256 public totalWithdrawn;
    bool public started;
    bool public finished;
    uint8 public champion;

    event Entered(uint8 indexed seat, address player);
    event Decided(uint256 indexed matchId, uint8 winner);
    event SeatSold(uint8 indexed seat, address from, address to);
    event Claimed(uint8 indexed seat, address player, uint256 amount);

    function enter() external payable returns (uint8 seat) {
        require(!started && seats.length < SEATS, "closed");
        require(msg.value == ENTRY, "entry");
        require(held[msg.sender] < PER_PLAYER, "too many seats");
        seat = uint8(seats.length);
        seats.push(msg.sender);
        held[msg.sender]++;
        emit Entered(seat, msg.sender);
    }

    function draw() external {
        require(!started && seats.length == SEATS, "not yet");
        started = true;
        // The first against the last, so that those who came together meet late.
        for (uint8 i = 0; i < 4; i++) {
            matches[i].home = i;
            matches[i].away = uint8(SEATS) - 1 - i;
            matches[i].ready = true;
        }
    }

    function report(uint256 matchId, uint8 winner) external {
        Match storage m = matches[matchId];
        require(m.ready && !m.decided, "not on");
        require(m.reporter == address(0), "reported");
        require(winner == m.home || winner == m.away, "not playing");
        require(_plays(m, msg.sender), "not a player");
        m.reported = winner;
        m.reporter = msg.sender;
        m.reportedAt = uint64(block.timestamp);
    }

    function object(uint256 matchId) external {
        Match storage m = matches[matchId];
        require(m.reporter != address(0) && !m.decided, "not reported");
        require(_plays(m, msg.sender) && m.reporter != msg.sender, "not the opponent");
        require(block.timestamp < m.reportedAt + OBJECTION, "too late");
        m.reporter = address(0);
    }

    function confirm(uint256 matchId) external {
        Match storage m = matches[matchId];
        require(m.reporter != address(0) && !m.decided, "not reported");
        bool opponent = _plays(m, msg.sender) && m.reporter != msg.sender;
        require(opponent || block.timestamp >= m.reportedAt + OBJECTION, "not yet");
        m.decided = true;
        wins[m.reported]++;
        emit Decided(matchId, m.reported);
        if (matchId == MATCHES - 1) {
            finished = true;
            champion = m.reported;
            return;
        }
        Match storage next = matches[4 + matchId / 2];
        if (matchId % 2 == 0) next.home = m.reported;
        else next.away = m.reported;
        next.ready = matches[matchId ^ 1].decided;
    }

    function sellSeat(uint8 seat, address to) external {
        require(seats[seat] == msg.sender, "not your seat");
        require(to != address(0) && to != msg.sender, "buyer");
        require(held[to] < PER_PLAYER, "too many seats");
        seats[seat] = to;
        held[msg.sender]--;
        held[to]++;
        emit SeatSold(seat, msg.sender, to);
    }

    /// @notice Half for the champion, a quarter for the finalist, an eighth for the third ones.
    function prizeOf(uint8 seat) public view returns (uint256) {
        uint8 won = wins[seat];
        if (!finished || won == 0) return 0;
        return (ENTRY * SEATS) >> (4 - won);
    }

    function claim(uint8 seat) external {
        require(finished && seats[seat] == msg.sender, "not your seat");
        bytes32 key = keccak256(abi.encode(seat, msg.sender));
        require(!claimed[key], "claimed");
        claimed[key] = true;
        uint256 amount = prizeOf(seat);
        require(amount > 0, "no prize");
        credit[msg.sender] += amount;
        totalCredited += amount;
        emit Claimed(seat, msg.sender, amount);
    }

    function withdraw() external {
        uint256 amount = credit[msg.sender];
        require(amount > 0, "nothing");
        credit[msg.sender] = 0;
        totalWithdrawn += amount;
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent, "payment");
    }

    /// @notice The prizes are what was paid in, and can be paid out.
    function echidna_ok() public view returns (bool) {
        return totalCredited - totalWithdrawn <= address(this).balance && totalCredited <= ENTRY * SEATS;
    }

    function _plays(Match storage m, address player) internal view returns (bool) {
        return seats[m.home] == player || seats[m.away] == player;
    }
}
