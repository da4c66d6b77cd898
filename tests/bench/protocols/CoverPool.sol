// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title CoverPool
/// @notice Underwriters hold shares of a pool that sells cover. Each cover locks its amount of the
/// pool until it is paid or has run out.
contract CoverPool {
    enum Status {
        None,
        Active,
        Claimed,
        Paid
    }

    struct Cover {
        address holder;
        Status status;
        bool expired;
        uint64 expiry;
        uint64 claimedAt;
        uint8 approvals;
        uint128 amount;
        uint128 bond;
    }

    uint256 public constant WITHDRAW_DELAY = 3 days;
    uint256 public constant ASSESSMENT = 1 days;
    uint256 public constant MAX_COVERS = 32;

    mapping(address => bool) public isAssessor;
    mapping(address => uint256) public shares;
    mapping(address => uint256) public withdrawFrom;
    mapping(uint256 => mapping(address => bool)) public assessed;
    Cover[] public covers;
    uint256 public totalShares;
    uint256 public assets;
    uint256 public locked;

    event CoverBought(uint256 indexed id, address indexed holder, uint256 amount, uint256 expiry);
    event ClaimFiled(uint256 indexed id);
    event ClaimPaid(uint256 indexed id, uint256 amount);
    event ClaimRejected(uint256 indexed id);
    event CoverExpired(uint256 indexed id);

    constructor() {
        isAssessor[address(0x10000)] = true;
        isAssessor[address(0x20000)] = true;
        isAssessor[address(0x30000)] = true;
    }

    function deposit() external payable returns (uint256 minted) {
        require(msg.value >= 1 ether && msg.value <= type(uint96).max, "amount");
        minted = totalShares == 0 ? msg.value : (msg.value * totalShares) / assets;
        require(minted > 0, "no shares");
        shares[msg.sender] += minted;
        totalShares += minted;
        assets += msg.value;
    }

    function requestWithdraw() external {
        require(shares[msg.sender] > 0, "no shares");
        withdrawFrom[msg.sender] = block.timestamp + WITHDRAW_DELAY;
    }

    function withdraw(uint256 amount) external {
        uint256 from = withdrawFrom[msg.sender];
        require(from != 0 && block.timestamp >= from, "not requested");
        uint256 value = (amount * assets) / totalShares;
        require(assets - value >= locked, "locked");
        withdrawFrom[msg.sender] = 0;
        shares[msg.sender] -= amount;
        totalShares -= amount;
        assets -= value;
        _pay(msg.sender, value);
    }

    /// @notice The premium is 2% for each week begun.
    function premium(uint256 amount, uint256 duration) public pure returns (uint256) {
        return (amount * 2 * ((duration + 7 days - 1) / 7 days)) / 100;
    }

    function buyCover(uint128 amount, uint32 duration) external payable returns (uint256 id) {
        require(amount >= 0.1 ether, "amount");
        require(duration >= 7 days && duration <= 91 days, "duration");
        require(covers.length < MAX_COVERS, "full");
        require(assets - locked >= amount, "capacity");
        require(msg.value >= premium(amount, duration), "premium");
        assets += msg.value;
        locked += amount;
        id = covers.length;
        uint64 expiry = uint64(block.timestamp + duration);
        covers.push(Cover(msg.sender, Status.Active, false, expiry, 0, 0, amount, 0));
        emit CoverBought(id, msg.sender, amount, expiry);
    }

    function fileClaim(uint256 id) external payable {
        Cover storage cover = covers[id];
        require(cover.holder == msg.sender && cover.status == Status.Active, "not active");
        require(!cover.expired && block.timestamp <= cover.expiry, "expired");
        require(msg.value >= cover.amount / 100 && msg.value <= cover.amount, "bond");
        require(cover.claimedAt == 0, "claimed before");
        cover.status = Status.Claimed;
        cover.claimedAt = uint64(block.timestamp);
        cover.bond = uint128(msg.value);
        emit ClaimFiled(id);
    }

    function approveClaim(uint256 id) external {
        Cover storage cover = covers[id];
        require(isAssessor[msg.sender] && cover.holder != msg.sender, "not an assessor");
        require(cover.status == Status.Claimed && !assessed[id][msg.sender], "not claimed");
        assessed[id][msg.sender] = true;
        cover.approvals++;
    }

    function settleClaim(uint256 id) external {
        Cover storage cover = covers[id];
        require(cover.status == Status.Claimed, "not claimed");
        require(block.timestamp >= cover.claimedAt + ASSESSMENT, "under assessment");
        uint256 bond = cover.bond;
        cover.bond = 0;
        if (cover.approvals < 2) {
            cover.status = Status.Active;
            assets += bond;
            emit ClaimRejected(id);
            return;
        }
        cover.status = Status.Paid;
        assets -= cover.amount;
        locked -= cover.amount;
        emit ClaimPaid(id, cover.amount);
        _pay(cover.holder, cover.amount + bond);
    }

    /// @notice Frees what a cover locked; anybody may.
    function expireCover(uint256 id) external {
        Cover storage cover = covers[id];
        require(block.timestamp > cover.expiry && !cover.expired, "not expired");
        require(cover.status != Status.Claimed, "claim open");
        cover.expired = true;
        locked -= cover.amount;
        emit CoverExpired(id);
    }

    /// @notice Every cover in force can be paid.
    function echidna_ok() public view returns (bool) {
        uint256 exposure;
        for (uint256 i = 0; i < covers.length; i++) {
            Cover storage cover = covers[i];
            if (cover.status != Status.Paid && !cover.expired) exposure += cover.amount;
        }
        return exposure <= assets && assets <= address(this).balance;
    }

    function _pay(address to, uint256 amount) internal {
        (bool sent,) = to.call{value: amount}("");
        require(sent, "payment");
    }
}
