// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title BadgeStaking
/// @notice Positions earn a season's rewards by weight. A position that stayed for a week earns its
/// owner a badge; a badge doubles the weight of the one position that it is attached to.
contract BadgeStaking {
    struct Position {
        address owner;
        uint96 amount;
        uint256 weight;
        uint256 badgeId;
        uint256 accPaid;
        uint256 accrued;
        uint64 since;
        bool badgeEarned;
    }

    struct Badge {
        address owner;
        uint256 positionId;
        uint64 attachedAt;
    }

    address public constant MANAGER = address(0x30000);
    uint256 public constant BADGE_AGE = 7 days;
    uint256 public constant BADGE_HOLD = 3 days;
    uint256 public constant NOTICE = 2 days;
    uint256 public constant MAX_POSITIONS = 24;

    Position[] public positions;
    Badge[] public badges;

    uint256 public totalWeight;
    uint256 public accPerWeight;
    uint256 public lastUpdate;
    uint256 public rate;
    uint256 public seasonEnd;
    uint256 public seasonOpensAt;
    uint256 public seasonLength;
    uint256 public distributed;
    uint256 public paid;

    constructor() {
        // Number 0 means none.
        positions.push();
        badges.push();
        lastUpdate = block.timestamp;
    }

    function announceSeason(uint256 length) external {
        require(msg.sender == MANAGER, "not the manager");
        require(length >= 14 days && length <= 90 days, "length");
        require(block.timestamp >= seasonEnd, "season runs");
        seasonOpensAt = block.timestamp + NOTICE;
        seasonLength = length;
    }

    function openSeason() external payable {
        require(msg.sender == MANAGER, "not the manager");
        require(seasonOpensAt != 0 && block.timestamp >= seasonOpensAt, "not announced");
        require(msg.value >= 1 ether, "rewards");
        _update();
        rate = msg.value / seasonLength;
        seasonEnd = block.timestamp + seasonLength;
        seasonOpensAt = 0;
    }

    function stake() external payable returns (uint256 id) {
        require(msg.value >= 0.1 ether && msg.value <= type(uint96).max, "amount");
        require(positions.length <= MAX_POSITIONS, "full");
        _update();
        id = positions.length;
        positions.push(
            Position(
                msg.sender, uint96(msg.value), msg.value, 0, accPerWeight, 0, uint64(block.timestamp), false
            )
        );
        totalWeight += msg.value;
    }

    function unstake(uint256 id) external {
        Position storage position = _mine(id);
        _settle(id);
        uint256 amount = position.amount;
        if (position.badgeId != 0) badges[position.badgeId].positionId = 0;
        position.badgeId = 0;
        position.amount = 0;
        _setWeight(id, 0);
        _pay(amount);
    }

    function claim(uint256 id) external {
        Position storage position = _mine(id);
        _settle(id);
        uint256 amount = position.accrued;
        position.accrued = 0;
        paid += amount;
        _pay(amount);
    }

    function earnBadge(uint256 id) external returns (uint256 badgeId) {
        Position storage position = _mine(id);
        require(position.amount > 0 && !position.badgeEarned, "no badge");
        require(block.timestamp >= position.since + BADGE_AGE, "too young");
        position.badgeEarned = true;
        badgeId = badges.length;
        badges.push(Badge(msg.sender, 0, 0));
    }

    function attachBadge(uint256 badgeId, uint256 id) external {
        Position storage position = _mine(id);
        Badge storage badge = badges[badgeId];
        require(badge.owner == msg.sender && badge.positionId == 0, "badge");
        require(position.amount > 0 && position.badgeId == 0, "position");
        _settle(id);
        position.badgeId = badgeId;
        badge.positionId = id;
        badge.attachedAt = uint64(block.timestamp);
        _setWeight(id, uint256(position.amount) * 2);
    }

    function moveBadge(uint256 fromId, uint256 toId) external {
        Position storage from = _mine(fromId);
        Position storage to = _mine(toId);
        uint256 badgeId = from.badgeId;
        require(badgeId != 0 && to.badgeId == 0 && to.amount > 0, "badge");
        require(block.timestamp >= badges[badgeId].attachedAt + BADGE_HOLD, "held");
        _settle(fromId);
        from.badgeId = 0;
        _setWeight(fromId, from.amount);
        to.badgeId = badgeId;
        badges[badgeId].positionId = toId;
        badges[badgeId].attachedAt = uint64(block.timestamp);
        _setWeight(toId, uint256(to.amount) * 2);
    }

    function earned(uint256 id) public view returns (uint256) {
        (uint256 acc,) = _current();
        Position storage position = positions[id];
        return position.accrued + (position.weight * (acc - position.accPaid)) / 1e18;
    }

    /// @notice Nothing is earned but what was distributed.
    function echidna_ok() public view returns (bool) {
        (, uint256 given) = _current();
        uint256 sum = paid;
        for (uint256 i = 1; i < positions.length; i++) sum += earned(i);
        return sum <= given;
    }

    function _current() internal view returns (uint256 acc, uint256 given) {
        uint256 until = block.timestamp < seasonEnd ? block.timestamp : seasonEnd;
        (acc, given) = (accPerWeight, distributed);
        if (until > lastUpdate && totalWeight > 0) {
            uint256 reward = (until - lastUpdate) * rate;
            acc += (reward * 1e18) / totalWeight;
            given += reward;
        }
    }

    function _update() internal {
        (accPerWeight, distributed) = _current();
        lastUpdate = block.timestamp;
    }

    function _settle(uint256 id) internal {
        _update();
        Position storage position = positions[id];
        position.accrued = earned(id);
        position.accPaid = accPerWeight;
    }

    function _setWeight(uint256 id, uint256 weight) internal {
        totalWeight = totalWeight - positions[id].weight + weight;
        positions[id].weight = weight;
    }

    function _mine(uint256 id) internal view returns (Position storage position) {
        position = positions[id];
        require(position.owner == msg.sender, "not yours");
    }

    function _pay(uint256 amount) internal {
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent, "payment");
    }
}
