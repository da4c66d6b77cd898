// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Ether that is withdrawn some days after it was asked for. Members may pass
/// their balances on to each other.
contract Pool {
    uint256 public constant COOLDOWN = 2 days;
    uint256 public constant WINDOW = 1 days;

    struct Request {
        uint256 amount;
        uint256 ripe;
    }

    mapping(address => uint256) public balanceOf;
    mapping(address => bool) public member;
    mapping(address => Request) public requests;
    bool private entered;

    event Joined(address indexed who);
    event Deposited(address indexed who, uint256 amount);
    event Requested(address indexed who, uint256 amount, uint256 ripe);
    event Withdrawn(address indexed who, uint256 amount);
    event Moved(address indexed from, address indexed to, uint256 amount);

    error NoMember();
    error NothingRequested();
    error OutsideWindow();
    error Reentered();
    error TooMuch();
    error NotSent();

    modifier nonReentrant() {
        if (entered) revert Reentered();
        entered = true;
        _;
        entered = false;
    }

    function join() external {
        member[msg.sender] = true;
        emit Joined(msg.sender);
    }

    function deposit() external payable nonReentrant {
        if (!member[msg.sender]) revert NoMember();
        balanceOf[msg.sender] += msg.value;
        emit Deposited(msg.sender, msg.value);
    }

    function requestWithdrawal(uint256 amount) external nonReentrant {
        if (amount == 0 || amount > balanceOf[msg.sender]) revert TooMuch();
        requests[msg.sender] = Request(amount, block.timestamp + COOLDOWN);
        emit Requested(msg.sender, amount, block.timestamp + COOLDOWN);
    }

    function withdraw() external nonReentrant {
        Request memory mine = requests[msg.sender];
        if (mine.amount == 0) revert NothingRequested();
        if (block.timestamp < mine.ripe || block.timestamp > mine.ripe + WINDOW) revert OutsideWindow();
        uint256 balance = balanceOf[msg.sender];
        if (mine.amount > balance) revert TooMuch();
        delete requests[msg.sender];
        (bool sent,) = msg.sender.call{value: mine.amount}("");
        if (!sent) revert NotSent();
        balanceOf[msg.sender] = balance - mine.amount; // What it was before the call.
        emit Withdrawn(msg.sender, mine.amount);
    }

    /// No ether is sent, so no guard was thought to be needed.
    function move(address to, uint256 amount) external {
        if (!member[to]) revert NoMember();
        if (amount == 0 || amount > balanceOf[msg.sender]) revert TooMuch();
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        emit Moved(msg.sender, to, amount);
    }
}

/// @notice A user of the pool that does something when it is paid.
contract Actor {
    enum Reaction {
        Nothing,
        Deposit,
        Request,
        Withdraw,
        Move,
        Refuse
    }

    Pool private immutable pool;
    address private immutable handler = msg.sender;
    Reaction public reaction;
    address public partner;
    uint256 public amount;

    constructor(Pool pool_) {
        pool = pool_;
    }

    modifier onlyHandler() {
        require(msg.sender == handler, "not the handler");
        _;
    }

    function join() external onlyHandler {
        pool.join();
    }

    function deposit() external payable onlyHandler {
        pool.deposit{value: msg.value}();
    }

    function requestWithdrawal(uint256 amount_) external onlyHandler {
        pool.requestWithdrawal(amount_);
    }

    function withdraw() external onlyHandler {
        pool.withdraw();
    }

    function move(address to, uint256 amount_) external onlyHandler {
        pool.move(to, amount_);
    }

    function plan(Reaction reaction_, address partner_, uint256 amount_) external onlyHandler {
        (reaction, partner, amount) = (reaction_, partner_, amount_);
    }

    receive() external payable {
        Reaction now_ = reaction;
        reaction = Reaction.Nothing; // Once only.
        if (now_ == Reaction.Deposit) pool.deposit{value: amount}();
        else if (now_ == Reaction.Request) pool.requestWithdrawal(amount);
        else if (now_ == Reaction.Withdraw) pool.withdraw();
        else if (now_ == Reaction.Move) pool.move(partner, amount);
        else if (now_ == Reaction.Refuse) revert("refused");
    }
}

/// @notice Two actors, and what they do in return is for the fuzzer to say.
contract ReentrantPool {
    Pool public immutable pool = new Pool();
    Actor[2] private actors;

    constructor() {
        actors[0] = new Actor(pool);
        actors[1] = new Actor(pool);
    }

    function join(bool second) external {
        _actor(second).join();
    }

    function deposit(bool second) external payable {
        _actor(second).deposit{value: msg.value}();
    }

    function requestWithdrawal(bool second, uint256 amount) external {
        _actor(second).requestWithdrawal(amount);
    }

    function withdraw(bool second) external {
        _actor(second).withdraw();
    }

    function move(bool second, uint256 amount) external {
        _actor(second).move(address(_actor(!second)), amount);
    }

    function plan(bool second, Actor.Reaction reaction, uint256 amount) external {
        _actor(second).plan(reaction, address(_actor(!second)), amount);
    }

    function _actor(bool second) private view returns (Actor) {
        return actors[second ? 1 : 0];
    }

    /// The pool can pay everybody.
    function echidna_ok() public view returns (bool) {
        uint256 owed = pool.balanceOf(address(actors[0])) + pool.balanceOf(address(actors[1]));
        return address(pool).balance >= owed;
    }
}
