// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title EpochVotes
/// @notice Deposits are the shares by which each epoch's income is divided, by what everybody had
/// when the epoch ended. Histories are searched from near their end, where most look-ups are.
contract EpochVotes {
    struct Checkpoint {
        uint32 epoch;
        uint224 balance;
    }

    uint256 public constant EPOCH = 2 days;
    uint256 public constant MIN_DEPOSIT = 0.01 ether;
    uint256 public constant MAX_MEMBERS = 6;

    uint32 public epoch = 1;
    uint256 public epochStart;
    uint256 public totalBalance;
    address[] public members;
    mapping(address => bool) public isMember;
    mapping(address => Checkpoint[]) internal history;
    mapping(uint32 => uint256) public totalAt;
    mapping(uint32 => uint256) public incomeOf;
    mapping(uint32 => mapping(address => bool)) public claimed;

    event Changed(address indexed member, uint32 indexed epoch, uint256 balance);
    event EpochClosed(uint32 indexed epoch, uint256 total, uint256 income);
    event Claimed(address indexed member, uint32 indexed epoch, uint256 amount);

    constructor() {
        epochStart = block.timestamp;
    }

    function join() external payable {
        require(!isMember[msg.sender] && members.length < MAX_MEMBERS, "cannot join");
        require(msg.value >= MIN_DEPOSIT, "amount");
        isMember[msg.sender] = true;
        members.push(msg.sender);
        _change(msg.sender, msg.value);
        totalBalance += msg.value;
    }

    function deposit() external payable {
        require(isMember[msg.sender], "not a member");
        require(msg.value >= MIN_DEPOSIT && msg.value <= type(uint96).max, "amount");
        _change(msg.sender, balanceOf(msg.sender) + msg.value);
        totalBalance += msg.value;
    }

    function withdraw(uint256 amount) external {
        uint256 balance = balanceOf(msg.sender);
        require(amount > 0 && amount <= balance, "amount");
        _change(msg.sender, balance - amount);
        totalBalance -= amount;
        _pay(msg.sender, amount);
    }

    function addIncome() external payable {
        require(msg.value > 0, "nothing");
        incomeOf[epoch] += msg.value;
    }

    function closeEpoch() external {
        require(block.timestamp >= epochStart + EPOCH, "runs");
        require(totalBalance > 0, "no members");
        totalAt[epoch] = totalBalance;
        emit EpochClosed(epoch, totalBalance, incomeOf[epoch]);
        epoch++;
        epochStart = block.timestamp;
    }

    function claim(uint32 closed) external {
        require(closed < epoch && !claimed[closed][msg.sender], "cannot claim");
        claimed[closed][msg.sender] = true;
        uint256 amount = (incomeOf[closed] * balanceAt(msg.sender, closed)) / totalAt[closed];
        require(amount > 0, "nothing");
        emit Claimed(msg.sender, closed, amount);
        _pay(msg.sender, amount);
    }

    function balanceOf(address member) public view returns (uint256) {
        Checkpoint[] storage points = history[member];
        return points.length == 0 ? 0 : points[points.length - 1].balance;
    }

    function checkpointsOf(address member) external view returns (uint256) {
        return history[member].length;
    }

    /// @notice What a member had at the end of an epoch.
    function balanceAt(address member, uint32 number) public view returns (uint256) {
        Checkpoint[] storage points = history[member];
        uint256 low = 0;
        uint256 high = points.length;
        if (high > 16) {
            uint256 recent = high - 4;
            if (points[recent].epoch > number) high = recent - 1;
            else low = recent + 1;
        }
        while (low < high) {
            uint256 middle = (low + high) / 2;
            if (points[middle].epoch > number) high = middle;
            else low = middle + 1;
        }
        return low == 0 ? 0 : points[low - 1].balance;
    }

    /// @notice The shares of each of the last closed epochs make the whole.
    function echidna_ok() public view returns (bool) {
        uint32 first = epoch > 40 ? epoch - 40 : 1;
        for (uint32 number = first; number < epoch; number++) {
            uint256 sum;
            for (uint256 i = 0; i < members.length; i++) sum += balanceAt(members[i], number);
            if (sum != totalAt[number]) return false;
        }
        return true;
    }

    function _change(address member, uint256 balance) internal {
        require(balance <= type(uint128).max, "too much");
        Checkpoint[] storage points = history[member];
        uint256 length = points.length;
        if (length > 0 && points[length - 1].epoch == epoch) {
            points[length - 1].balance = uint224(balance);
        } else {
            points.push(Checkpoint(epoch, uint224(balance)));
        }
        emit Changed(member, epoch, balance);
    }

    function _pay(address to, uint256 amount) internal {
        (bool sent,) = to.call{value: amount}("");
        require(sent, "payment");
    }
}
