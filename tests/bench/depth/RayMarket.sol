// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice A market of one asset and one collateral of the same value, both of 18
/// decimals. Debts grow with an index of 27 decimals, compounded every second.
contract RayMarket {
    struct Position {
        uint256 collateral;
        uint256 scaledDebt;
    }

    uint256 public constant RAY = 1e27;
    uint256 public constant BORROW_BPS = 8_000;
    uint256 public constant LIQUIDATION_BPS = 8_500;
    uint256 public constant AUCTION_BPS = 9_500;
    uint256 public constant BONUS_BPS = 800;
    uint256 public constant KINK = 0.9e27;
    uint256 public constant SLOW = 3_170_979_198_376_458_650; // 10 % a year, in ray a second.
    uint256 public constant FAST = 95_129_375_951_293_759_512; // 300 %.
    uint256 public constant BEGINNING = 1_000 ether;

    uint256 public index = RAY;
    uint256 public accruedAt;
    uint256 public cash;
    uint256 public scaledDebts;
    uint256 public badDebt;
    mapping(address => uint256) public supplied;
    mapping(address => uint256) public spentTokens;
    mapping(address => uint256) public spentCollateral;
    mapping(address => Position) public positions;

    event Supplied(address indexed who, uint256 amount);
    event Pledged(address indexed who, uint256 amount);
    event Borrowed(address indexed who, uint256 amount);
    event Repaid(address indexed who, uint256 amount);
    event Liquidated(address indexed who, address indexed by, uint256 repaid, uint256 seized);
    event WrittenOff(address indexed who, uint256 amount);

    error TooMuch();
    error TooLittle();
    error Healthy();
    error ForAuction();

    constructor() {
        accruedAt = block.timestamp;
    }

    function accrue() public {
        uint256 passed = block.timestamp - accruedAt;
        if (passed == 0) return;
        accruedAt = block.timestamp;
        uint256 debts = scaledDebts * index / RAY;
        if (debts == 0) return;
        uint256 used = debts * RAY / (debts + cash);
        index = index * _power(RAY + (used > KINK ? FAST : SLOW), passed) / RAY;
    }

    function debtOf(address who) public view returns (uint256) {
        uint256 scaled = positions[who].scaledDebt * index;
        return scaled == 0 ? 0 : (scaled - 1) / RAY + 1;
    }

    function supply(uint256 amount) external {
        accrue();
        _spend(spentTokens, amount);
        supplied[msg.sender] += amount;
        cash += amount;
        emit Supplied(msg.sender, amount);
    }

    function pledge(uint256 amount) external {
        _spend(spentCollateral, amount);
        positions[msg.sender].collateral += amount;
        emit Pledged(msg.sender, amount);
    }

    function borrow(uint256 amount) external {
        accrue();
        if (amount < 1 ether) revert TooLittle();
        if (amount > cash) revert TooMuch();
        Position storage mine = positions[msg.sender];
        uint256 scaled = (amount * RAY - 1) / index + 1;
        mine.scaledDebt += scaled;
        scaledDebts += scaled;
        cash -= amount;
        if (debtOf(msg.sender) * 10_000 > mine.collateral * BORROW_BPS) revert TooMuch();
        emit Borrowed(msg.sender, amount);
    }

    function repay(uint256 amount) external {
        accrue();
        if (amount > debtOf(msg.sender)) revert TooMuch();
        _spend(spentTokens, amount);
        _lower(msg.sender, amount);
        emit Repaid(msg.sender, amount);
    }

    /// Repay the debt of somebody else, for its collateral and a bonus. Who owes nearly
    /// what the collateral is worth is left to an auction, which is not here.
    function liquidate(address who, uint256 amount) external {
        accrue();
        Position storage theirs = positions[who];
        uint256 debt = debtOf(who);
        if (debt * 10_000 <= theirs.collateral * LIQUIDATION_BPS) revert Healthy();
        if (debt * 10_000 > theirs.collateral * AUCTION_BPS) revert ForAuction();
        if (amount < debt / 10) revert TooLittle();
        if (amount > debt || who == msg.sender) revert TooMuch();
        uint256 seized = amount + amount * BONUS_BPS / 10_000;
        if (seized > theirs.collateral) {
            // The bonus is for the liquidator in any case, so less is repaid for it.
            seized = theirs.collateral;
            amount = seized * 10_000 / (10_000 + BONUS_BPS);
        }
        _spend(spentTokens, amount);
        theirs.collateral -= seized;
        _lower(who, amount);
        emit Liquidated(who, msg.sender, amount, seized);
        if (theirs.collateral == 0 && theirs.scaledDebt != 0) {
            uint256 left = debtOf(who);
            scaledDebts -= theirs.scaledDebt;
            theirs.scaledDebt = 0;
            badDebt += left;
            emit WrittenOff(who, left);
        }
    }

    function _lower(address who, uint256 amount) private {
        uint256 scaled = amount * RAY / index;
        if (scaled > positions[who].scaledDebt) scaled = positions[who].scaledDebt;
        positions[who].scaledDebt -= scaled;
        scaledDebts -= scaled;
        cash += amount;
    }

    function _spend(mapping(address => uint256) storage spent, uint256 amount) private {
        spent[msg.sender] += amount;
        if (spent[msg.sender] > BEGINNING) revert TooMuch();
    }

    function _power(uint256 base, uint256 exponent) private pure returns (uint256 result) {
        result = RAY;
        for (; exponent != 0; exponent >>= 1) {
            if (exponent & 1 == 1) result = result * base / RAY;
            base = base * base / RAY;
        }
    }

    /// Lenders lose nothing as long as positions are liquidated in time.
    function echidna_ok() public view returns (bool) {
        return badDebt < 0.1 ether;
    }
}
