// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title A vault that holds ether for its users.
/// @notice Withdrawals are requested first and executed a day later; until then they
/// can be cancelled. One of the two properties at the end does not hold. A fuzzer finds
/// out which within seconds, and shrinks the reason to three calls.
contract Vault {
    struct Payment {
        address to;
        uint256 amount;
    }

    struct Withdrawal {
        address user;
        uint256 amount;
        uint256 readyAt;
        bool closed;
    }

    uint256 public constant MAX_FEE = 500;
    uint256 public constant DELAY = 1 days;

    address public owner;
    uint256 public fee;
    uint256 public totalAssets;
    mapping(address => uint256) public balances;
    Withdrawal[] public withdrawals;

    event Deposited(address indexed user, uint256 amount);
    event WithdrawalRequested(uint256 indexed id, address indexed user, uint256 amount);
    event WithdrawalClosed(uint256 indexed id, bool paid);

    error NotOwner();
    error NotYours(uint256 id);
    error TooEarly(uint256 readyAt);

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    constructor() {
        owner = msg.sender;
        fee = 30;
    }

    function deposit() external payable {
        _deposit(msg.sender, msg.value);
    }

    function deposit(address user) external payable {
        require(user != address(0), "no user");
        _deposit(user, msg.value);
    }

    function payMany(Payment[] calldata payments) external {
        for (uint256 i = 0; i < payments.length; i++) {
            balances[msg.sender] -= payments[i].amount;
            balances[payments[i].to] += payments[i].amount;
        }
    }

    function requestWithdrawal(uint256 amount) external returns (uint256 id) {
        require(amount > 0 && amount <= balances[msg.sender], "bad amount");
        balances[msg.sender] -= amount;
        id = withdrawals.length;
        withdrawals.push(Withdrawal(msg.sender, amount, block.timestamp + DELAY, false));
        emit WithdrawalRequested(id, msg.sender, amount);
    }

    function cancelWithdrawal(uint256 id) external {
        Withdrawal storage withdrawal = _close(id, false);
        // Looks right, but the vault never stopped counting this amount as its asset.
        _deposit(withdrawal.user, withdrawal.amount);
    }

    function executeWithdrawal(uint256 id) external {
        Withdrawal storage withdrawal = _close(id, true);
        if (block.timestamp < withdrawal.readyAt) revert TooEarly(withdrawal.readyAt);
        uint256 cut = (withdrawal.amount * fee) / 10_000;
        balances[owner] += cut;
        totalAssets -= withdrawal.amount - cut;
        (bool sent, ) = withdrawal.user.call{value: withdrawal.amount - cut}("");
        require(sent, "transfer failed");
    }

    function setFee(uint256 newFee) external onlyOwner {
        require(newFee <= MAX_FEE, "fee too high");
        fee = newFee;
    }

    function transferOwnership(address newOwner) external onlyOwner {
        owner = newOwner == address(0) ? owner : newOwner;
    }

    /// The vault can pay everyone. False.
    function echidna_solvent() external view returns (bool) {
        return address(this).balance >= totalAssets;
    }

    /// Nobody pays more than the maximal fee. True.
    function echidna_fee_is_bounded() external view returns (bool) {
        return fee <= MAX_FEE;
    }

    function _deposit(address user, uint256 amount) internal {
        balances[user] += amount;
        totalAssets += amount;
        emit Deposited(user, amount);
    }

    function _close(uint256 id, bool paid) internal returns (Withdrawal storage open) {
        open = withdrawals[id];
        if (open.user != msg.sender || open.closed) revert NotYours(id);
        open.closed = true;
        emit WithdrawalClosed(id, paid);
    }
}
