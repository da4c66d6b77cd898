// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice A treasury whose owner names operators. A new owner takes over in two steps;
/// with that all operators of the old one lose their rights.
contract TreasuryHandover {
    struct Sweep {
        address grantor;
        address owner;
        uint256 amount;
    }

    uint256 public constant HANDOVER_DELAY = 1 days;
    uint256 public constant NOTICE = 3 days;

    address public owner;
    address public pendingOwner;
    uint256 public pendingSince;
    uint256 public term = 1;
    mapping(address => uint256) public termOf;
    mapping(address => address) public grantorOf;
    mapping(address => uint256) public noticeOf;
    Sweep public lastSweep;

    event OwnershipTransferStarted(address indexed from, address indexed to);
    event OwnershipTransferred(address indexed from, address indexed to, uint256 term);
    event OperatorGranted(address indexed operator, address indexed by, uint256 term);
    event OperatorRevoked(address indexed operator);
    event RenewalNoticed(address indexed operator);
    event OperatorRenewed(address indexed operator, uint256 term);
    event Swept(address indexed operator, address indexed to, uint256 amount);

    error NotOwner();
    error NotPendingOwner();
    error NotOperator();
    error BadAddress();
    error TooEarly();
    error TooLate();
    error BadAmount();

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotOwner();
        _;
    }

    constructor() {
        owner = msg.sender;
    }

    function fund() external payable {
        if (msg.value == 0) revert BadAmount();
    }

    function transferOwnership(address to) external onlyOwner {
        if (to == address(0) || to == owner) revert BadAddress();
        pendingOwner = to;
        pendingSince = block.timestamp;
        emit OwnershipTransferStarted(owner, to);
    }

    function acceptOwnership() external {
        if (msg.sender != pendingOwner) revert NotPendingOwner();
        if (block.timestamp < pendingSince + HANDOVER_DELAY) revert TooEarly();
        emit OwnershipTransferred(owner, msg.sender, ++term);
        owner = msg.sender;
        pendingOwner = address(0);
    }

    function grantOperator(address operator) external onlyOwner {
        if (operator == address(0)) revert BadAddress();
        termOf[operator] = term;
        grantorOf[operator] = msg.sender;
        emit OperatorGranted(operator, msg.sender, term);
    }

    function revokeOperator(address operator) external onlyOwner {
        delete termOf[operator];
        delete noticeOf[operator];
        emit OperatorRevoked(operator);
    }

    function isOperator(address who) public view returns (bool) {
        return termOf[who] == term;
    }

    /// An operator asks to stay when its term ends.
    function noticeRenewal() external {
        if (!isOperator(msg.sender)) revert NotOperator();
        noticeOf[msg.sender] = block.timestamp;
        emit RenewalNoticed(msg.sender);
    }

    /// Who was an operator in the last term stays one. Nobody asks the new owner.
    function renewOperator() external {
        if (termOf[msg.sender] == 0 || termOf[msg.sender] + 1 != term) revert NotOperator();
        if (noticeOf[msg.sender] == 0) revert TooEarly();
        if (block.timestamp > noticeOf[msg.sender] + NOTICE) revert TooLate();
        delete noticeOf[msg.sender];
        termOf[msg.sender] = term;
        emit OperatorRenewed(msg.sender, term);
    }

    function sweep(address payable to, uint256 amount) external {
        if (!isOperator(msg.sender)) revert NotOperator();
        if (amount == 0 || amount > address(this).balance) revert BadAmount();
        if (to == address(0)) revert BadAddress();
        lastSweep = Sweep(grantorOf[msg.sender], owner, amount);
        (bool sent,) = to.call{value: amount}("");
        require(sent, "not sent");
        emit Swept(msg.sender, to, amount);
    }

    /// Money leaves only through operators whom the owner of that time has named.
    function echidna_ok() public view returns (bool) {
        return lastSweep.grantor == lastSweep.owner;
    }
}
