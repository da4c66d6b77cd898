// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title BatchPayroll
/// @notice Numbered accounts in gwei, and payments to many of them by one compact order:
///
///   version (1) | count (1) | amount for each in gwei (8) | payee (2) * count | checksum (1)
///
/// The checksum is the exclusive or of all the bytes before it.
contract BatchPayroll {
    struct Account {
        address owner;
        uint96 balance;
    }

    uint8 public constant VERSION = 2;
    uint256 public constant MAX_PAYEES = 16;
    uint256 public constant MAX_ACCOUNTS = 40;
    uint256 internal constant HEADER = 10;

    mapping(uint16 => Account) public accounts;
    mapping(address => uint16) public accountOf;
    uint16 public accountCount;
    uint256 public totalBalance;
    uint256 public orders;

    event Opened(uint16 indexed account, address indexed owner);
    event Paid(uint16 indexed from, uint256 count, uint64 each);

    constructor() {
        for (uint160 i = 1; i <= 3; i++) {
            uint16 id = _open(address(i << 16));
            accounts[id].balance = 5_000 gwei;
            totalBalance += 5_000 gwei;
        }
        for (uint160 i = 0; i < 5; i++) _open(address(0xBEEF00 + i));
    }

    function openAccount() external returns (uint16) {
        return _open(msg.sender);
    }

    function payIn() external payable {
        uint16 id = accountOf[msg.sender];
        require(id != 0, "no account");
        require(msg.value >= 1 gwei && msg.value <= 1_000 ether && msg.value % 1 gwei == 0, "amount");
        uint96 amount = uint96(msg.value / 1 gwei);
        accounts[id].balance += amount;
        totalBalance += amount;
    }

    /// @notice Pay from the caller's account as the order says.
    function execute(bytes calldata order) external {
        uint16 from = accountOf[msg.sender];
        require(from != 0, "no account");
        require(order.length > HEADER, "short");
        require(uint8(order[0]) == VERSION, "version");
        uint256 count = uint8(order[1]);
        require(count >= 2 && count <= MAX_PAYEES, "count");
        require(order.length == HEADER + 2 * count + 1, "length");
        require(_checksum(order[:order.length - 1]) == uint8(order[order.length - 1]), "checksum");

        uint64 each = uint64(bytes8(order[2:10]));
        require(each >= 1_000, "amount");
        uint64 total;
        unchecked {
            total = each * uint64(count);
        }
        require(accounts[from].balance >= total, "funds");
        accounts[from].balance -= total;

        uint16 previous;
        for (uint256 i = 0; i < count; i++) {
            uint256 offset = HEADER + 2 * i;
            uint16 payee = uint16(bytes2(order[offset:offset + 2]));
            require(payee > previous, "order of payees");
            require(payee != from && accounts[payee].owner != address(0), "payee");
            accounts[payee].balance += each;
            previous = payee;
        }
        orders++;
        emit Paid(from, count, each);
    }

    /// @notice Payments create no money.
    function echidna_ok() public view returns (bool) {
        uint256 sum;
        for (uint16 i = 1; i <= accountCount; i++) sum += accounts[i].balance;
        return sum == totalBalance;
    }

    function _open(address owner) internal returns (uint16 id) {
        require(accountOf[owner] == 0, "has one");
        require(accountCount < MAX_ACCOUNTS, "full");
        id = ++accountCount;
        accounts[id].owner = owner;
        accountOf[owner] = id;
        emit Opened(id, owner);
    }

    function _checksum(bytes calldata data) internal pure returns (uint8 sum) {
        for (uint256 i = 0; i < data.length; i++) sum ^= uint8(data[i]);
    }
}
