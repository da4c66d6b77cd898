// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Loans of ether against staked ether, which an issuer redeems one to one. The
/// price is that of a pool of both, of which an oracle follows at most a fifth at a time.
contract PooledOracle {
    uint256 public constant WAD = 1e18;
    uint256 public constant BEGINNING = 1_000 ether;
    uint256 public constant LOAN_BPS = 6_000;
    uint256 public constant STEP_BPS = 2_000;
    uint256 public constant FEE_BPS = 30;
    uint256 public constant LARGEST_SWAP_BPS = 1_500;
    uint256 public constant PERIOD = 10 minutes;

    struct Wallet {
        bool opened;
        uint128 ethers;
        uint128 staked;
    }

    struct Loan {
        uint128 collateral;
        uint128 debt;
    }

    uint256 public reserveEther = 1_000 ether;
    uint256 public reserveStaked = 1_000 ether;
    uint256 public lendable = 10_000 ether;
    uint256 public oraclePrice = WAD;
    uint256 public observedAt;
    uint256 public totalCollateral;
    uint256 public totalDebt;
    mapping(address => Wallet) public wallets;
    mapping(address => Loan) public loans;

    event Swapped(address indexed who, bool etherIn, uint256 paid, uint256 got);
    event Observed(uint256 price);
    event Pledged(address indexed who, uint256 amount);
    event Borrowed(address indexed who, uint256 amount);
    event Repaid(address indexed who, uint256 amount);

    error TooLarge();
    error Slippage(uint256 got, uint256 wanted);
    error TooSoon();
    error NotCovered();

    constructor() {
        observedAt = block.timestamp;
    }

    function spotPrice() public view returns (uint256) {
        return reserveEther * WAD / reserveStaked;
    }

    function swap(bool etherIn, uint128 paid, uint128 least) external returns (uint128 got) {
        Wallet storage wallet = _wallet();
        (uint256 from, uint256 to) = etherIn ? (reserveEther, reserveStaked) : (reserveStaked, reserveEther);
        if (paid == 0 || paid * 10_000 > from * LARGEST_SWAP_BPS) revert TooLarge();
        uint256 net = uint256(paid) * (10_000 - FEE_BPS);
        got = uint128(net * to / (from * 10_000 + net));
        if (least == 0 || got < least) revert Slippage(got, least);
        if (etherIn) {
            wallet.ethers -= paid;
            wallet.staked += got;
            (reserveEther, reserveStaked) = (from + paid, to - got);
        } else {
            wallet.staked -= paid;
            wallet.ethers += got;
            (reserveStaked, reserveEther) = (from + paid, to - got);
        }
        emit Swapped(msg.sender, etherIn, paid, got);
    }

    /// Follow the pool, in steps that are thought to be too small for a manipulation.
    function observe() external {
        if (block.timestamp < observedAt + PERIOD) revert TooSoon();
        observedAt = block.timestamp;
        uint256 price = spotPrice();
        uint256 least = oraclePrice * (10_000 - STEP_BPS) / 10_000;
        uint256 most = oraclePrice * (10_000 + STEP_BPS) / 10_000;
        oraclePrice = price < least ? least : price > most ? most : price;
        emit Observed(oraclePrice);
    }

    function pledge(uint128 amount) external {
        _wallet().staked -= amount;
        loans[msg.sender].collateral += amount;
        totalCollateral += amount;
        emit Pledged(msg.sender, amount);
    }

    function release(uint128 amount) external {
        loans[msg.sender].collateral -= amount;
        totalCollateral -= amount;
        _wallet().staked += amount;
        _checkLoan();
    }

    function borrow(uint128 amount) external {
        if (amount < 0.1 ether) revert TooLarge();
        lendable -= amount;
        loans[msg.sender].debt += amount;
        totalDebt += amount;
        _wallet().ethers += amount;
        _checkLoan();
        emit Borrowed(msg.sender, amount);
    }

    function repay(uint128 amount) external {
        _wallet().ethers -= amount;
        loans[msg.sender].debt -= amount;
        totalDebt -= amount;
        lendable += amount;
        emit Repaid(msg.sender, amount);
    }

    function _checkLoan() private view {
        Loan storage mine = loans[msg.sender];
        uint256 most = mine.collateral * oraclePrice / WAD * LOAN_BPS / 10_000;
        if (mine.debt > most) revert NotCovered();
    }

    function _wallet() private returns (Wallet storage mine) {
        mine = wallets[msg.sender];
        if (!mine.opened) (mine.opened, mine.ethers, mine.staked) = (true, uint128(BEGINNING), uint128(BEGINNING));
    }

    /// Loans are covered by what the issuer pays for the collateral.
    function echidna_ok() public view returns (bool) {
        return totalDebt <= totalCollateral;
    }
}
