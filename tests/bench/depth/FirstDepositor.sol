// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Asset {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 amount);
    event Approval(address indexed owner, address indexed spender, uint256 amount);

    constructor(address[3] memory holders, uint256 amount) {
        for (uint256 i = 0; i < 3; i++) {
            balanceOf[holders[i]] = amount;
            emit Transfer(address(0), holders[i], amount);
        }
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        _move(msg.sender, to, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        if (msg.sender != from) allowance[from][msg.sender] -= amount;
        _move(from, to, amount);
        return true;
    }

    function _move(address from, address to, uint256 amount) private {
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
    }
}

/// @notice Shares of a balance as in ERC-4626, without virtual shares. A least deposit
/// is thought to keep the first depositor honest.
contract Vault {
    Asset public immutable asset;
    uint256 public constant LEAST_DEPOSIT = 0.01 ether;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;

    event Deposit(address indexed by, address indexed receiver, uint256 assets, uint256 shares);
    event Withdraw(address indexed by, address indexed receiver, uint256 assets, uint256 shares);

    error TooLittle(uint256 assets);
    error ZeroShares();

    constructor(Asset asset_) {
        asset = asset_;
    }

    function totalAssets() public view returns (uint256) {
        return asset.balanceOf(address(this));
    }

    function convertToShares(uint256 assets) public view returns (uint256) {
        return totalSupply == 0 ? assets : assets * totalSupply / totalAssets();
    }

    function convertToAssets(uint256 shares) public view returns (uint256) {
        return totalSupply == 0 ? shares : shares * totalAssets() / totalSupply;
    }

    function deposit(uint256 assets, address receiver) external returns (uint256 shares) {
        if (assets < LEAST_DEPOSIT) revert TooLittle(assets);
        shares = convertToShares(assets);
        if (shares == 0) revert ZeroShares();
        asset.transferFrom(msg.sender, address(this), assets);
        totalSupply += shares;
        balanceOf[receiver] += shares;
        emit Deposit(msg.sender, receiver, assets, shares);
    }

    function redeem(uint256 shares, address receiver) external returns (uint256 assets) {
        assets = convertToAssets(shares);
        balanceOf[msg.sender] -= shares;
        totalSupply -= shares;
        asset.transfer(receiver, assets);
        emit Withdraw(msg.sender, receiver, assets, shares);
    }
}

contract User {
    Asset private immutable asset;
    Vault private immutable vault;

    constructor(Vault vault_) {
        vault = vault_;
        asset = vault_.asset();
        asset.approve(address(vault), type(uint256).max);
    }

    function deposit(uint256 assets) external returns (uint256) {
        return vault.deposit(assets, address(this));
    }

    function redeem(uint256 shares) external returns (uint256) {
        return vault.redeem(shares, address(this));
    }

    function donate(uint256 assets) external {
        asset.transfer(address(vault), assets);
    }
}

/// @notice Three senders use the vault, each with a hundred tokens.
contract FirstDepositor {
    uint256 public constant BEGINNING = 100 ether;
    uint256 public constant BEARABLE = 10 ether;

    Asset public asset;
    Vault public vault;
    User[3] private users;
    mapping(address => User) private userOf;
    mapping(User => uint256) private donated;

    error Stranger();

    constructor() {
        address[3] memory senders = [address(0x10000), address(0x20000), address(0x30000)];
        asset = new Asset([address(this), address(0), address(0)], 3 * BEGINNING);
        vault = new Vault(asset);
        for (uint256 i = 0; i < 3; i++) {
            users[i] = userOf[senders[i]] = new User(vault);
            asset.transfer(address(users[i]), BEGINNING);
        }
    }

    function deposit(uint256 assets) external returns (uint256) {
        return _user().deposit(assets);
    }

    function redeem(uint256 shares) external returns (uint256) {
        return _user().redeem(shares);
    }

    function donate(uint256 assets) external {
        donated[_user()] += assets;
        _user().donate(assets);
    }

    function _user() private view returns (User user) {
        user = userOf[msg.sender];
        if (address(user) == address(0)) revert Stranger();
    }

    /// Nobody loses much but by gifts of its own.
    function echidna_ok() public view returns (bool) {
        for (uint256 i = 0; i < 3; i++) {
            address user = address(users[i]);
            uint256 has = asset.balanceOf(user) + vault.convertToAssets(vault.balanceOf(user));
            if (has + donated[users[i]] + BEARABLE < BEGINNING) return false;
        }
        return true;
    }
}
