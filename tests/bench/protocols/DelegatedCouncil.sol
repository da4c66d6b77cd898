// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title DelegatedCouncil
/// @notice Stakers delegate the weight of their stake to registered candidates; whoever holds a
/// majority may take the chair. Stake leaves after a cooldown, during which it has no vote.
contract DelegatedCouncil {
    struct Voter {
        uint128 staked;
        uint128 leaving;
        address delegatee;
        address leftFrom;
        uint64 leaveAt;
        uint64 delegatedAt;
    }

    uint256 public constant MIN_STAKE = 0.5 ether;
    uint256 public constant COOLDOWN = 7 days;
    uint256 public constant REDELEGATION_DELAY = 1 days;
    uint256 public constant TERM = 14 days;
    uint256 public constant MAX_CANDIDATES = 16;

    mapping(address => Voter) public voters;
    mapping(address => uint256) public votes;
    mapping(address => bool) public isCandidate;
    address[] public candidates;

    uint256 public totalStaked;
    address public chair;
    uint256 public chairUntil;
    string public agenda;

    event CandidateRegistered(address indexed candidate);
    event Staked(address indexed voter, uint256 amount);
    event Delegated(address indexed voter, address indexed from, address indexed to, uint256 weight);
    event LeaveRequested(address indexed voter, uint256 amount);
    event LeaveCancelled(address indexed voter, uint256 amount);
    event Left(address indexed voter, uint256 amount);
    event ChairTaken(address indexed chair);

    /// @notice Candidates need some skin in the game themselves.
    function registerCandidate() external payable {
        require(!isCandidate[msg.sender], "registered");
        require(candidates.length < MAX_CANDIDATES, "full");
        isCandidate[msg.sender] = true;
        candidates.push(msg.sender);
        if (msg.value > 0) _stake(msg.value);
        emit CandidateRegistered(msg.sender);
    }

    function stake() external payable {
        _stake(msg.value);
    }

    function delegate(address to) external {
        Voter storage voter = voters[msg.sender];
        require(isCandidate[to], "not a candidate");
        require(voter.staked > 0, "no stake");
        require(voter.delegatee != to, "unchanged");
        require(
            voter.delegatedAt == 0 || block.timestamp >= voter.delegatedAt + REDELEGATION_DELAY, "too soon"
        );
        address from = voter.delegatee;
        uint256 weight = voter.staked - voter.leaving;
        voter.delegatee = to;
        voter.delegatedAt = uint64(block.timestamp);
        _removeVotes(from, weight);
        _addVotes(to, weight);
        emit Delegated(msg.sender, from, to, weight);
    }

    function requestLeave(uint128 amount) external {
        Voter storage voter = voters[msg.sender];
        require(voter.leaving == 0, "already leaving");
        require(amount >= 0.1 ether && amount <= voter.staked, "amount");
        voter.leaving = amount;
        voter.leftFrom = voter.delegatee;
        voter.leaveAt = uint64(block.timestamp + COOLDOWN);
        _removeVotes(voter.delegatee, amount);
        emit LeaveRequested(msg.sender, amount);
    }

    function cancelLeave() external {
        Voter storage voter = voters[msg.sender];
        uint128 amount = voter.leaving;
        require(amount > 0, "not leaving");
        require(block.timestamp < voter.leaveAt, "cooldown over");
        voter.leaving = 0;
        _addVotes(voter.leftFrom, amount);
        voter.leftFrom = address(0);
        emit LeaveCancelled(msg.sender, amount);
    }

    function completeLeave() external {
        Voter storage voter = voters[msg.sender];
        uint128 amount = voter.leaving;
        require(amount > 0 && block.timestamp >= voter.leaveAt, "not yet");
        voter.leaving = 0;
        voter.leftFrom = address(0);
        voter.staked -= amount;
        totalStaked -= amount;
        emit Left(msg.sender, amount);
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent, "payment");
    }

    function takeChair() external {
        require(isCandidate[msg.sender], "not a candidate");
        require(block.timestamp >= chairUntil, "term runs");
        require(votes[msg.sender] * 2 > totalStaked, "no majority");
        chair = msg.sender;
        chairUntil = block.timestamp + TERM;
        emit ChairTaken(msg.sender);
    }

    function setAgenda(string calldata text) external {
        require(msg.sender == chair && block.timestamp < chairUntil, "not the chair");
        require(bytes(text).length <= 256, "too long");
        agenda = text;
    }

    /// @notice No more votes than stake.
    function echidna_ok() public view returns (bool) {
        uint256 sum;
        for (uint256 i = 0; i < candidates.length; i++) sum += votes[candidates[i]];
        return sum <= totalStaked;
    }

    function _stake(uint256 amount) internal {
        require(amount >= MIN_STAKE && amount <= type(uint96).max, "amount");
        Voter storage voter = voters[msg.sender];
        voter.staked += uint128(amount);
        totalStaked += amount;
        _addVotes(voter.delegatee, amount);
        emit Staked(msg.sender, amount);
    }

    function _addVotes(address to, uint256 amount) internal {
        if (to != address(0)) votes[to] += amount;
    }

    /// @dev Saturates, so that nobody's exit can be blocked by a delegatee.
    function _removeVotes(address from, uint256 amount) internal {
        if (from == address(0)) return;
        uint256 held = votes[from];
        votes[from] = held > amount ? held - amount : 0;
    }
}
