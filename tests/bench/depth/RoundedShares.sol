// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Staked ether with shares of 18 decimals. A keeper adds rewards once a day, so
/// shares become dearer; what is locked at first keeps their number from getting small.
contract RoundedShares {
    uint256 public constant LOCKED = 1 ether;
    uint256 public constant BEARABLE = 20;
    address public immutable keeper;

    uint256 public totalShares;
    uint256 public totalAssets;
    mapping(address => uint256) public sharesOf;
    uint256 public highest;
    uint256 public harvestedAt;

    event Deposited(address indexed owner, uint256 assets, uint256 shares);
    event Withdrawn(address indexed owner, uint256 assets, uint256 shares);
    event Harvested(uint256 rewards, uint256 price);

    error Unauthorized();
    error TooLittle();
    error TooMuch();
    error TooSoon();

    constructor() {
        keeper = address(0x20000);
        harvestedAt = block.timestamp;
    }

    /// Return what 1e18 shares are worth, in wei.
    function price() public view returns (uint256) {
        return totalShares == 0 ? 1 ether : totalAssets * 1 ether / totalShares;
    }

    function deposit() external payable returns (uint256 shares) {
        if (totalShares == 0) {
            if (msg.value <= LOCKED) revert TooLittle();
            shares = msg.value - LOCKED;
            totalShares = msg.value;
        } else {
            shares = msg.value * totalShares / totalAssets;
            totalShares += shares;
        }
        if (shares == 0) revert TooLittle();
        totalAssets += msg.value;
        sharesOf[msg.sender] += shares;
        if (price() > highest) highest = price();
        emit Deposited(msg.sender, msg.value, shares);
    }

    /// Take out so many wei; shares that are burnt are rounded down, for the owner.
    function withdraw(uint256 assets) external returns (uint256 shares) {
        if (totalShares == 0) revert TooLittle();
        shares = assets * totalShares / totalAssets;
        if (shares == 0) revert TooLittle();
        _takeOut(assets, shares);
    }

    /// Burn so many shares; wei are rounded down, for the pool.
    function redeem(uint256 shares) external returns (uint256 assets) {
        if (shares == 0 || shares > sharesOf[msg.sender]) revert TooMuch();
        assets = shares * totalAssets / totalShares;
        _takeOut(assets, shares);
    }

    function harvest() external payable {
        if (msg.sender != keeper) revert Unauthorized();
        if (totalShares == 0 || msg.value == 0) revert TooLittle();
        if (msg.value > totalAssets / 2) revert TooMuch();
        if (block.timestamp < harvestedAt + 1 days) revert TooSoon();
        harvestedAt = block.timestamp;
        totalAssets += msg.value;
        if (price() > highest) highest = price();
        emit Harvested(msg.value, price());
    }

    function _takeOut(uint256 assets, uint256 shares) private {
        if (shares > sharesOf[msg.sender]) revert TooMuch();
        sharesOf[msg.sender] -= shares;
        totalShares -= shares;
        totalAssets -= assets;
        emit Withdrawn(msg.sender, assets, shares);
        (bool sent,) = msg.sender.call{value: assets}("");
        require(sent, "not sent");
    }

    /// Shares never become cheaper, but for some wei of rounding.
    function echidna_ok() public view returns (bool) {
        return price() + BEARABLE >= highest;
    }
}
