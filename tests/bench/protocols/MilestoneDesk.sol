// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @dev Holds the ether of many contracts of work, paid out milestone by milestone.
contract EscrowBook {
    enum Status {
        None,
        Open,
        Running,
        Done,
        Terminated
    }

    struct Escrow {
        address client;
        address provider;
        uint8 milestones;
        uint8 reached;
        Status status;
        bool submitted;
        bool approved;
        uint64 submittedAt;
        uint256 deposit;
        uint256 released;
    }

    uint256 public constant REVIEW = 5 days;
    Escrow[] public escrows;
    bool private entered;

    modifier nonReentrant() {
        require(!entered, "reentered");
        entered = true;
        _;
        entered = false;
    }

    function open(address provider, uint8 milestones) external payable returns (uint256 id) {
        require(provider != address(0) && provider != msg.sender, "provider");
        require(milestones >= 2 && milestones <= 12, "milestones");
        require(msg.value >= 0.1 ether && escrows.length < 32, "deposit");
        id = escrows.length;
        escrows.push(
            Escrow(msg.sender, provider, milestones, 0, Status.Open, false, false, 0, msg.value, 0)
        );
    }

    function withdrawOffer(uint256 id) external nonReentrant {
        Escrow storage e = escrows[id];
        require(e.status == Status.Open && e.client == msg.sender, "not open");
        e.status = Status.Terminated;
        _pay(e.client, e.deposit);
    }

    function accept(uint256 id) external {
        Escrow storage e = escrows[id];
        require(e.status == Status.Open && e.provider == msg.sender, "not open");
        e.status = Status.Running;
    }

    function submit(uint256 id) external {
        Escrow storage e = escrows[id];
        require(e.status == Status.Running && e.provider == msg.sender, "not running");
        require(!e.submitted, "under review");
        e.submitted = true;
        e.submittedAt = uint64(block.timestamp);
    }

    function approve(uint256 id) external {
        Escrow storage e = escrows[id];
        require(e.status == Status.Running && e.client == msg.sender, "not running");
        require(e.submitted, "nothing to review");
        e.approved = true;
    }

    /// @notice Pay for the milestone; clients that keep silent are taken to agree.
    function release(uint256 id) external nonReentrant {
        Escrow storage e = escrows[id];
        require(e.status == Status.Running && e.submitted, "nothing submitted");
        require(e.approved || block.timestamp >= e.submittedAt + REVIEW, "under review");
        e.submitted = false;
        e.approved = false;
        e.reached++;
        bool last = e.reached == e.milestones;
        uint256 amount = last ? e.deposit - e.released : e.deposit / e.milestones;
        _pay(e.provider, amount);
        e.released += amount;
        if (last) e.status = Status.Done;
    }

    /// @notice The provider gives the work up, and the client has the rest back.
    function terminate(uint256 id) external {
        Escrow storage e = escrows[id];
        require(e.status == Status.Running && e.provider == msg.sender, "not running");
        require(!e.submitted, "under review");
        e.status = Status.Terminated;
        _pay(e.client, e.deposit - e.released);
    }

    function owed() external view returns (uint256 sum) {
        for (uint256 i = 0; i < escrows.length; i++) {
            Escrow storage e = escrows[i];
            if (e.status == Status.Open || e.status == Status.Running) sum += e.deposit - e.released;
        }
    }

    function _pay(address to, uint256 amount) internal {
        (bool sent,) = to.call{value: amount}("");
        require(sent, "payment");
    }
}

/// @dev A company with a smart wallet: it may act on being paid.
contract Company {
    address private immutable desk;
    EscrowBook private immutable book;
    uint8 public reaction;
    uint256 public reactionId;

    constructor(EscrowBook book_) {
        desk = msg.sender;
        book = book_;
    }

    function act(bytes calldata data) external payable returns (bytes memory) {
        require(msg.sender == desk, "not the desk");
        (bool success, bytes memory result) = address(book).call{value: msg.value}(data);
        require(success, "failed");
        return result;
    }

    function react(uint8 reaction_, uint256 id) external {
        require(msg.sender == desk, "not the desk");
        (reaction, reactionId) = (reaction_, id);
    }

    receive() external payable {
        uint8 chosen = reaction;
        reaction = 0;
        if (chosen == 1) book.accept(reactionId);
        else if (chosen == 2) book.submit(reactionId);
        else if (chosen == 3) book.terminate(reactionId);
    }
}

/// @title MilestoneDesk
/// @notice Lets anybody run three companies that hire one another through the escrow book.
contract MilestoneDesk {
    EscrowBook public immutable book;
    Company[3] public companies;

    constructor() {
        book = new EscrowBook();
        for (uint256 i = 0; i < 3; i++) companies[i] = new Company(book);
    }

    function hire(uint8 client, uint8 provider, uint8 milestones) external payable {
        address hired = address(companies[provider % 3]);
        companies[client % 3].act{value: msg.value}(abi.encodeCall(EscrowBook.open, (hired, milestones)));
    }

    function withdrawOffer(uint8 who, uint256 id) external {
        companies[who % 3].act(abi.encodeCall(EscrowBook.withdrawOffer, (id)));
    }

    function accept(uint8 who, uint256 id) external {
        companies[who % 3].act(abi.encodeCall(EscrowBook.accept, (id)));
    }

    function submit(uint8 who, uint256 id) external {
        companies[who % 3].act(abi.encodeCall(EscrowBook.submit, (id)));
    }

    function approve(uint8 who, uint256 id) external {
        companies[who % 3].act(abi.encodeCall(EscrowBook.approve, (id)));
    }

    function terminate(uint8 who, uint256 id) external {
        companies[who % 3].act(abi.encodeCall(EscrowBook.terminate, (id)));
    }

    function release(uint256 id) external {
        book.release(id);
    }

    function react(uint8 who, uint8 reaction, uint256 id) external {
        companies[who % 3].react(reaction % 4, id);
    }

    /// @notice The book holds what its running contracts still have to pay.
    function echidna_ok() public view returns (bool) {
        return book.owed() <= address(book).balance;
    }
}
