// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title GrantLedger
/// @notice Sponsors fund programmes; contributors are given grants that vest linearly, and may
/// split a grant in two (with the sponsor's consent) or merge two of the same schedule again.
contract GrantLedger {
    enum Status {
        None,
        Offered,
        Active,
        Merged,
        Withdrawn
    }

    struct Program {
        address sponsor;
        uint128 uncommitted;
        bool closed;
    }

    struct Grant {
        address beneficiary;
        uint32 programId;
        Status status;
        uint128 total;
        uint128 claimed;
        uint64 start;
        uint64 duration;
    }

    struct SplitRequest {
        uint256 grantId;
        uint128 amount;
        uint64 readyAt;
        bool approved;
        bool executed;
    }

    uint256 public constant MIN_BUDGET = 1 ether;
    uint256 public constant CLIFF = 7 days;
    uint256 public constant SPLIT_DELAY = 1 days;
    uint256 internal constant MAX_ITEMS = 40;

    Program[] public programs;
    Grant[] public grants;
    SplitRequest[] public splits;

    event ProgramOpened(uint256 indexed id, address indexed sponsor, uint256 budget);
    event GrantOffered(uint256 indexed id, uint256 indexed programId, address beneficiary, uint256 amount);
    event Claimed(uint256 indexed id, uint256 amount);
    event GrantSplit(uint256 indexed from, uint256 indexed to, uint256 amount);
    event GrantsMerged(uint256 indexed into, uint256 indexed from);

    function openProgram() external payable returns (uint256 id) {
        require(msg.value >= MIN_BUDGET && msg.value <= type(uint96).max, "budget");
        require(programs.length < MAX_ITEMS, "full");
        id = programs.length;
        programs.push(Program(msg.sender, uint128(msg.value), false));
        emit ProgramOpened(id, msg.sender, msg.value);
    }

    function closeProgram(uint256 id) external {
        Program storage program = programs[id];
        require(program.sponsor == msg.sender && !program.closed, "not open");
        program.closed = true;
        uint256 rest = program.uncommitted;
        program.uncommitted = 0;
        _pay(msg.sender, rest);
    }

    function offerGrant(uint256 programId, address beneficiary, uint128 amount, uint64 duration)
        external
        returns (uint256 id)
    {
        Program storage program = programs[programId];
        require(program.sponsor == msg.sender && !program.closed, "not sponsor");
        require(beneficiary != address(0) && beneficiary != msg.sender, "beneficiary");
        require(amount >= 0.1 ether && amount <= program.uncommitted, "amount");
        require(duration >= 30 days && duration <= 1460 days, "duration");
        require(grants.length < MAX_ITEMS, "full");
        program.uncommitted -= amount;
        id = grants.length;
        grants.push(Grant(beneficiary, uint32(programId), Status.Offered, amount, 0, 0, duration));
        emit GrantOffered(id, programId, beneficiary, amount);
    }

    function withdrawOffer(uint256 id) external {
        Grant storage grant = grants[id];
        Program storage program = programs[grant.programId];
        require(program.sponsor == msg.sender && !program.closed, "not sponsor");
        require(grant.status == Status.Offered, "not offered");
        grant.status = Status.Withdrawn;
        program.uncommitted += grant.total;
    }

    function acceptGrant(uint256 id) external {
        Grant storage grant = grants[id];
        require(grant.status == Status.Offered && grant.beneficiary == msg.sender, "not offered");
        grant.status = Status.Active;
        grant.start = uint64(block.timestamp);
    }

    function vested(uint256 id) public view returns (uint256) {
        Grant storage grant = grants[id];
        uint256 elapsed = block.timestamp - grant.start;
        if (elapsed < CLIFF) return 0;
        if (elapsed >= grant.duration) return grant.total;
        return (uint256(grant.total) * elapsed) / grant.duration;
    }

    function claim(uint256 id) external {
        Grant storage grant = _mine(id);
        uint256 due = vested(id);
        require(due > grant.claimed, "nothing due");
        uint256 amount = due - grant.claimed;
        grant.claimed = uint128(due);
        emit Claimed(id, amount);
        _pay(msg.sender, amount);
    }

    function requestSplit(uint256 id, uint128 amount) external returns (uint256 splitId) {
        Grant storage grant = _mine(id);
        require(amount >= 0.01 ether && amount < grant.total, "amount");
        require(splits.length < MAX_ITEMS, "full");
        splitId = splits.length;
        splits.push(SplitRequest(id, amount, uint64(block.timestamp + SPLIT_DELAY), false, false));
    }

    function approveSplit(uint256 splitId) external {
        SplitRequest storage request = splits[splitId];
        require(programs[grants[request.grantId].programId].sponsor == msg.sender, "not sponsor");
        require(!request.executed, "executed");
        request.approved = true;
    }

    function executeSplit(uint256 splitId) external returns (uint256 childId) {
        SplitRequest storage request = splits[splitId];
        Grant storage grant = _mine(request.grantId);
        require(request.approved && !request.executed, "not approved");
        require(block.timestamp >= request.readyAt, "too early");
        require(request.amount < grant.total && grants.length < MAX_ITEMS, "amount");
        request.executed = true;
        uint128 moved = uint128((uint256(grant.claimed) * request.amount) / grant.total);
        grant.total -= request.amount;
        grant.claimed -= moved;
        childId = grants.length;
        grants.push(grant);
        grants[childId].total = request.amount;
        grants[childId].claimed = moved;
        emit GrantSplit(request.grantId, childId, request.amount);
    }

    function mergeGrants(uint256 intoId, uint256 fromId) external {
        require(intoId != fromId, "same");
        Grant storage into = _mine(intoId);
        Grant storage from = _mine(fromId);
        require(into.programId == from.programId, "program");
        require(into.start == from.start && into.duration == from.duration, "schedule");
        into.total += from.total;
        from.status = Status.Merged;
        emit GrantsMerged(intoId, fromId);
    }

    /// @notice All that is promised can be paid.
    function echidna_ok() public view returns (bool) {
        uint256 promised;
        for (uint256 i = 0; i < programs.length; i++) promised += programs[i].uncommitted;
        for (uint256 i = 0; i < grants.length; i++) {
            Grant storage grant = grants[i];
            if (grant.status == Status.Offered || grant.status == Status.Active) {
                promised += grant.total - grant.claimed;
            }
        }
        return promised <= address(this).balance;
    }

    function _mine(uint256 id) internal view returns (Grant storage grant) {
        grant = grants[id];
        require(grant.status == Status.Active && grant.beneficiary == msg.sender, "not yours");
    }

    function _pay(address to, uint256 amount) internal {
        (bool sent,) = to.call{value: amount}("");
        require(sent, "payment");
    }
}
