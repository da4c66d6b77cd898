// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @dev Holds the ether of one member, and what the member's loyalty counts.
contract Locker {
    address public immutable hub;
    address public immutable owner;
    uint128 public amount;
    uint64 public multiplier;
    uint64 public unlockAt;
    uint32 public renewals;

    modifier onlyHub() {
        require(msg.sender == hub, "not the hub");
        _;
    }

    constructor(address owner_) {
        hub = msg.sender;
        owner = owner_;
        multiplier = 1e18;
    }

    function weight() external view returns (uint256) {
        return (uint256(amount) * multiplier) / 1e18;
    }

    function add(uint64 unlockAt_) external payable onlyHub {
        amount += uint128(msg.value);
        unlockAt = unlockAt_;
    }

    function renew(uint64 multiplier_, uint64 unlockAt_) external onlyHub {
        multiplier = multiplier_;
        unlockAt = unlockAt_;
        renewals++;
    }

    function empty() external onlyHub returns (uint256 out) {
        out = amount;
        amount = 0;
        multiplier = 1e18;
        renewals = 0;
        (bool sent,) = owner.call{value: out}("");
        require(sent, "payment");
    }
}

/// @title LoyaltyLocks
/// @notice Members lock ether for a term. Whoever renews in time has 15% more weight each time;
/// whoever comes late falls back by one step. The budget of each quarter is split by weight.
contract LoyaltyLocks {
    uint256 public constant TERM = 4 days;
    uint256 public constant GRACE = 14 days;
    uint256 public constant STEP = 115;
    uint256 public constant MAX_MEMBERS = 8;
    uint256 public constant BASE = 1e18;

    mapping(address => Locker) public lockerOf;
    Locker[] public lockers;
    uint256 public totalWeight;

    event Opened(address indexed member, address locker, uint256 amount);
    event Renewed(address indexed member, uint256 multiplier);
    event Closed(address indexed member, uint256 amount);

    function open() external payable {
        require(msg.value >= 0.1 ether && msg.value <= 100_000 ether, "amount");
        Locker locker = lockerOf[msg.sender];
        if (address(locker) == address(0)) {
            require(lockers.length < MAX_MEMBERS, "full");
            locker = new Locker(msg.sender);
            lockerOf[msg.sender] = locker;
            lockers.push(locker);
        }
        require(locker.amount() == 0, "open");
        locker.add{value: msg.value}(uint64(block.timestamp + TERM));
        totalWeight += msg.value;
        emit Opened(msg.sender, address(locker), msg.value);
    }

    /// @notice Lock more, for the whole term again.
    function addTo() external payable {
        Locker locker = _open();
        require(msg.value >= 0.1 ether && msg.value <= 100_000 ether, "amount");
        uint256 before = locker.weight();
        locker.add{value: msg.value}(uint64(block.timestamp + TERM));
        totalWeight = totalWeight - before + locker.weight();
    }

    function renew() external {
        Locker locker = _open();
        uint256 unlockAt = locker.unlockAt();
        require(block.timestamp >= unlockAt, "locked");
        uint256 amount = locker.amount();
        uint256 multiplier = locker.multiplier();
        uint256 before = locker.weight();
        if (block.timestamp <= unlockAt + GRACE) {
            multiplier = (multiplier * STEP) / 100;
        } else {
            multiplier = (multiplier * 100) / STEP;
            if (multiplier < BASE) multiplier = BASE;
        }
        locker.renew(uint64(multiplier), uint64(block.timestamp + TERM));
        totalWeight = totalWeight - before + (amount * multiplier) / BASE;
        emit Renewed(msg.sender, multiplier);
    }

    function close() external {
        Locker locker = _open();
        require(block.timestamp >= locker.unlockAt(), "locked");
        totalWeight -= locker.weight();
        emit Closed(msg.sender, locker.empty());
    }

    /// @notice The part of a budget that is a member's.
    function shareOf(address member, uint256 budget) external view returns (uint256) {
        Locker locker = lockerOf[member];
        if (address(locker) == address(0) || totalWeight == 0) return 0;
        return (budget * locker.weight()) / totalWeight;
    }

    function renewalsOf(address member) external view returns (uint256) {
        Locker locker = lockerOf[member];
        return address(locker) == address(0) ? 0 : locker.renewals();
    }

    /// @notice The weights of the lockers make the whole.
    function echidna_ok() public view returns (bool) {
        uint256 sum;
        for (uint256 i = 0; i < lockers.length; i++) sum += lockers[i].weight();
        return sum == totalWeight;
    }

    function _open() internal view returns (Locker locker) {
        locker = lockerOf[msg.sender];
        require(address(locker) != address(0) && locker.amount() > 0, "no locker");
    }
}
