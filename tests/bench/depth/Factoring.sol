// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice A supplier sells an accepted invoice to a financier at a discount. The debtor
/// pays into escrow, from which the holder collects; a debtor that received nothing may
/// dispute, and has its payment back.
contract Factoring {
    struct Invoice {
        address supplier;
        address debtor;
        address holder;
        uint96 amount;
        bytes32 receipt;
        bytes32 payment;
        uint96 escrow;
        bool collected;
        bool disputed;
    }

    uint256 public constant DISCOUNT_BPS = 500;
    uint96 public constant LEAST = 0.01 ether;
    uint96 public constant MOST = 50 ether;

    mapping(bytes32 => Invoice) public invoices;
    mapping(address => uint256) public credit;
    mapping(address => uint256) public issued;
    uint256 public owed;

    event Issued(bytes32 indexed invoice, address indexed supplier, address indexed debtor, uint96 amount);
    event Accepted(bytes32 indexed invoice, bytes32 receipt);
    event Advanced(bytes32 indexed invoice, address indexed holder, uint256 price);
    event Paid(bytes32 indexed invoice, bytes32 payment);
    event Collected(bytes32 indexed invoice, address indexed holder);
    event Disputed(bytes32 indexed invoice);

    error NotYours();
    error UnknownInvoice();
    error WrongReference();
    error WrongAmount(uint256 wanted, uint256 given);
    error WrongTime();

    function issue(address debtor, uint96 amount) external returns (bytes32 invoice) {
        if (debtor == address(0) || debtor == msg.sender) revert NotYours();
        if (amount < LEAST || amount > MOST) revert WrongAmount(LEAST, amount);
        invoice = keccak256(abi.encode(msg.sender, debtor, amount, issued[msg.sender]++));
        Invoice storage each = invoices[invoice];
        each.supplier = msg.sender;
        each.debtor = debtor;
        each.amount = amount;
        emit Issued(invoice, msg.sender, debtor, amount);
    }

    function accept(bytes32 invoice) external returns (bytes32 receipt) {
        Invoice storage each = _known(invoice);
        if (msg.sender != each.debtor) revert NotYours();
        if (each.receipt != 0) revert WrongTime();
        receipt = keccak256(abi.encode("receipt", invoice, block.timestamp));
        each.receipt = receipt;
        emit Accepted(invoice, receipt);
    }

    function advance(bytes32 invoice, bytes32 receipt) external payable {
        Invoice storage each = _known(invoice);
        if (receipt == 0 || receipt != each.receipt) revert WrongReference();
        if (each.holder != address(0)) revert WrongTime();
        if (msg.sender == each.debtor) revert NotYours();
        uint256 price = each.amount - each.amount * DISCOUNT_BPS / 10_000;
        if (msg.value != price) revert WrongAmount(price, msg.value);
        each.holder = msg.sender;
        _credit(each.supplier, price);
        emit Advanced(invoice, msg.sender, price);
    }

    function pay(bytes32 invoice) external payable returns (bytes32 payment) {
        Invoice storage each = _known(invoice);
        if (msg.sender != each.debtor) revert NotYours();
        if (each.holder == address(0) || each.payment != 0) revert WrongTime();
        if (msg.value != each.amount) revert WrongAmount(each.amount, msg.value);
        payment = keccak256(abi.encode("payment", invoice, each.receipt, msg.sender));
        each.payment = payment;
        each.escrow = each.amount;
        owed += each.amount;
        emit Paid(invoice, payment);
    }

    /// The holder takes what is in escrow.
    function collect(bytes32 invoice, bytes32 payment) external {
        Invoice storage each = _known(invoice);
        if (msg.sender != each.holder) revert NotYours();
        if (payment == 0 || payment != each.payment) revert WrongReference();
        if (each.collected || each.disputed) revert WrongTime();
        each.collected = true;
        owed -= each.escrow;
        _credit(msg.sender, each.escrow); // The escrow is not emptied.
        emit Collected(invoice, msg.sender);
    }

    /// The debtor has its payment back.
    function dispute(bytes32 invoice, bytes32 payment) external {
        Invoice storage each = _known(invoice);
        if (msg.sender != each.debtor) revert NotYours();
        if (payment == 0 || payment != each.payment) revert WrongReference();
        if (each.disputed) revert WrongTime();
        each.disputed = true;
        uint96 back = each.escrow;
        each.escrow = 0;
        if (!each.collected) owed -= back;
        _credit(msg.sender, back);
        emit Disputed(invoice);
    }

    function withdraw(uint256 amount) external {
        credit[msg.sender] -= amount;
        owed -= amount;
        (bool sent,) = msg.sender.call{value: amount}("");
        require(sent, "not sent");
    }

    function _known(bytes32 invoice) private view returns (Invoice storage each) {
        each = invoices[invoice];
        if (each.supplier == address(0)) revert UnknownInvoice();
    }

    function _credit(address who, uint256 amount) private {
        credit[who] += amount;
        owed += amount;
    }

    /// All credits and escrows can be paid.
    function echidna_ok() public view returns (bool) {
        return address(this).balance >= owed;
    }
}
