// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @dev Titles of real-world collateral; the pools are their only registrar.
contract TitleRegistry {
    address public immutable registrar;
    uint256 public count;
    mapping(uint256 => address) public ownerOf;
    mapping(uint256 => uint256) public valueOf;

    constructor() {
        registrar = msg.sender;
    }

    modifier onlyRegistrar() {
        require(msg.sender == registrar, "not registrar");
        _;
    }

    function register(address owner) external onlyRegistrar returns (uint256 id) {
        id = ++count;
        ownerOf[id] = owner;
    }

    function appraise(uint256 id, uint256 value) external onlyRegistrar {
        require(ownerOf[id] != address(0), "no title");
        valueOf[id] = value;
    }

    function move(uint256 id, address from, address to) external onlyRegistrar {
        require(ownerOf[id] == from, "not the owner");
        ownerOf[id] = to;
    }
}

/// @title RefinancePools
/// @notice Lenders offer ether from pools against titles. A lender who wants out auctions the loan,
/// and another pool takes it over at a rate that rises until the auction ends.
contract RefinancePools {
    struct Pool {
        address lender;
        uint16 rateBps;
        uint64 activeFrom;
        bool active;
        uint256 available;
    }

    struct Loan {
        address borrower;
        uint256 poolId;
        uint256 titleId;
        uint256 principal;
        uint64 since;
        uint64 auctionStart;
        bool open;
    }

    address public constant APPRAISER = address(0x10000);
    address public constant TREASURY = address(0x30000);
    uint256 public constant AUCTION_TIME = 3 days;
    uint256 public constant MAX_RATE = 10_000;
    uint256 internal constant MAX_ITEMS = 32;

    TitleRegistry public immutable titles;
    Pool[] public pools;
    Loan[] public loans;
    uint256 public fees;

    constructor() {
        titles = new TitleRegistry();
    }

    function createPool(uint16 rateBps) external payable returns (uint256 id) {
        require(rateBps >= 100 && rateBps <= 5_000, "rate");
        require(msg.value >= 1 ether && pools.length < MAX_ITEMS, "deposit");
        id = pools.length;
        pools.push(Pool(msg.sender, rateBps, uint64(block.timestamp + 1 days), false, msg.value));
    }

    function activatePool(uint256 id) external {
        Pool storage pool = _pool(id);
        require(block.timestamp >= pool.activeFrom, "too early");
        pool.active = true;
    }

    function withdraw(uint256 id, uint256 amount) external {
        Pool storage pool = _pool(id);
        pool.available -= amount;
        _pay(msg.sender, amount);
    }

    function registerTitle() external returns (uint256) {
        return titles.register(msg.sender);
    }

    function appraise(uint256 titleId, uint128 value) external {
        require(msg.sender == APPRAISER, "not the appraiser");
        titles.appraise(titleId, value);
    }

    function borrow(uint256 poolId, uint256 titleId, uint256 amount) external returns (uint256 id) {
        Pool storage pool = pools[poolId];
        require(pool.active && pool.lender != msg.sender, "pool");
        require(amount >= 0.1 ether && amount <= pool.available, "amount");
        require(amount <= titles.valueOf(titleId) / 2, "loan to value");
        require(loans.length < MAX_ITEMS, "full");
        titles.move(titleId, msg.sender, address(this));
        pool.available -= amount;
        id = loans.length;
        loans.push(Loan(msg.sender, poolId, titleId, amount, uint64(block.timestamp), 0, true));
        _pay(msg.sender, amount);
    }

    function owed(uint256 loanId) public view returns (uint256 interest, uint256 fee) {
        Loan storage loan = loans[loanId];
        uint256 elapsed = block.timestamp - loan.since;
        interest = (loan.principal * pools[loan.poolId].rateBps * elapsed) / (365 days * 10_000);
        fee = interest / 10;
    }

    function repay(uint256 loanId) external payable {
        Loan storage loan = loans[loanId];
        require(loan.open && loan.borrower == msg.sender, "not yours");
        (uint256 interest, uint256 fee) = owed(loanId);
        uint256 debt = loan.principal + interest;
        require(msg.value >= debt, "too little");
        loan.open = false;
        pools[loan.poolId].available += debt - fee;
        fees += fee;
        titles.move(loan.titleId, address(this), msg.sender);
        _pay(msg.sender, msg.value - debt);
    }

    function startAuction(uint256 loanId) external {
        Loan storage loan = loans[loanId];
        require(loan.open && pools[loan.poolId].lender == msg.sender, "not the lender");
        require(loan.auctionStart == 0, "runs");
        require(block.timestamp >= loan.since + 2 days, "too early");
        loan.auctionStart = uint64(block.timestamp);
    }

    /// @notice The pool of the caller pays out the lender and takes the loan.
    function buyLoan(uint256 loanId, uint256 toPoolId) external {
        Loan storage loan = loans[loanId];
        Pool storage to = _pool(toPoolId);
        require(loan.open && loan.auctionStart != 0, "no auction");
        require(to.active && toPoolId != loan.poolId, "pool");
        uint256 elapsed = block.timestamp - loan.auctionStart;
        require(elapsed <= AUCTION_TIME, "ended");
        require(to.rateBps <= (MAX_RATE * elapsed) / AUCTION_TIME, "rate too high");
        (uint256 interest, uint256 fee) = owed(loanId);
        uint256 debt = loan.principal + interest;
        to.available -= debt;
        pools[loan.poolId].available += debt;
        fees += fee;
        loan.principal = debt;
        loan.poolId = toPoolId;
        loan.since = uint64(block.timestamp);
        loan.auctionStart = 0;
    }

    function seize(uint256 loanId) external {
        Loan storage loan = loans[loanId];
        require(loan.open && pools[loan.poolId].lender == msg.sender, "not the lender");
        require(loan.auctionStart != 0 && block.timestamp > loan.auctionStart + AUCTION_TIME, "not ended");
        loan.open = false;
        titles.move(loan.titleId, address(this), msg.sender);
    }

    function collectFees() external {
        require(msg.sender == TREASURY, "not the treasury");
        uint256 amount = fees;
        fees = 0;
        _pay(msg.sender, amount);
    }

    /// @notice Lenders and the treasury can take out what they are credited with.
    function echidna_ok() public view returns (bool) {
        uint256 credited = fees;
        for (uint256 i = 0; i < pools.length; i++) credited += pools[i].available;
        return credited <= address(this).balance;
    }

    function _pool(uint256 id) internal view returns (Pool storage pool) {
        pool = pools[id];
        require(pool.lender == msg.sender, "not your pool");
    }

    function _pay(address to, uint256 amount) internal {
        (bool sent,) = to.call{value: amount}("");
        require(sent, "payment");
    }
}
