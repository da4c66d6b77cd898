// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Insurance from the pools of underwriters. A claim is assessed by a third party
/// and countersigned; a holder that is not content appeals, and a ruling is enforced.
contract MutualCover {
    struct Pool {
        address underwriter;
        uint256 capital;
    }

    struct Policy {
        bytes32 pool;
        address holder;
        uint128 cover;
        uint128 paid;
        uint64 since;
    }

    struct Quote {
        bytes32 pool;
        address customer;
        uint128 cover;
        bytes32 terms;
    }

    struct Claim {
        bytes32 policy;
        uint128 loss;
        uint128 assessed;
        uint128 ruled;
        address assessor;
        bytes32 mandate;
        bytes32 report;
        bytes32 appeal;
        bytes32 ruling;
        bool countersigned;
        bool enforced;
        bool paid;
    }

    uint256 public constant PREMIUM_BPS = 300;
    uint256 public constant APPEAL_FEE = 0.01 ether;
    uint64 public constant WAITING = 1 days;

    mapping(bytes32 => Pool) public pools;
    mapping(bytes32 => Quote) public quotes;
    mapping(bytes32 => Policy) public policies;
    mapping(bytes32 => Claim) public claims;
    mapping(bytes32 => bytes32) public claimOfAppeal;
    mapping(address => uint256) public credit;
    bytes32[] public sold;
    uint256 private serial;

    event PoolOpened(bytes32 indexed pool, address indexed underwriter, uint256 capital);
    event Quoted(bytes32 indexed quote, bytes32 indexed pool, uint128 cover);
    event Bought(bytes32 indexed policy, bytes32 indexed quote);
    event Reported(bytes32 indexed claim, bytes32 indexed policy, uint128 loss);
    event Assessed(bytes32 indexed claim, bytes32 report, uint128 amount);
    event Appealed(bytes32 indexed claim, bytes32 appeal);
    event PaidOut(bytes32 indexed policy, uint128 amount);

    error NotYours();
    error NotThere();
    error WrongReference();
    error WrongAmount();
    error WrongTime();

    function openPool() external payable returns (bytes32 pool) {
        if (msg.value < 1 ether) revert WrongAmount();
        pool = _identifier("pool");
        pools[pool] = Pool(msg.sender, msg.value);
        emit PoolOpened(pool, msg.sender, msg.value);
    }

    function requestQuote(bytes32 pool, uint128 cover) external returns (bytes32 quote) {
        if (pools[pool].underwriter == address(0)) revert NotThere();
        if (pools[pool].underwriter == msg.sender) revert NotYours();
        if (cover < 0.1 ether || cover * 2 > pools[pool].capital) revert WrongAmount();
        quote = _identifier("quote");
        quotes[quote] = Quote(pool, msg.sender, cover, 0);
        emit Quoted(quote, pool, cover);
    }

    function underwrite(bytes32 quote) external returns (bytes32 terms) {
        Quote storage each = quotes[quote];
        if (pools[each.pool].underwriter != msg.sender) revert NotYours();
        if (each.terms != 0) revert WrongTime();
        terms = keccak256(abi.encode("terms", quote, each.cover, block.timestamp));
        each.terms = terms;
    }

    function buy(bytes32 quote, bytes32 terms) external payable returns (bytes32 policy) {
        Quote memory each = quotes[quote];
        if (each.customer != msg.sender) revert NotYours();
        if (terms == 0 || terms != each.terms) revert WrongReference();
        if (msg.value != each.cover * PREMIUM_BPS / 10_000) revert WrongAmount();
        delete quotes[quote];
        pools[each.pool].capital += msg.value;
        policy = _identifier("policy");
        policies[policy] = Policy(each.pool, msg.sender, each.cover, 0, uint64(block.timestamp));
        sold.push(policy);
        emit Bought(policy, quote);
    }

    function report(bytes32 policy, uint128 loss) external returns (bytes32 claim) {
        Policy storage each = policies[policy];
        if (each.holder != msg.sender) revert NotYours();
        if (block.timestamp < each.since + WAITING) revert WrongTime();
        if (loss == 0 || loss > each.cover - each.paid) revert WrongAmount();
        claim = keccak256(abi.encode("claim", policy)); // One for each policy.
        if (claims[claim].policy != 0) revert WrongTime();
        claims[claim].policy = policy;
        claims[claim].loss = loss;
        emit Reported(claim, policy, loss);
    }

    function nominate(bytes32 claim, address assessor) external returns (bytes32 mandate) {
        Claim storage each = _claim(claim);
        _underwriterOf(each);
        if (each.mandate != 0) revert WrongTime();
        if (assessor == address(0) || assessor == msg.sender) revert NotYours();
        if (assessor == policies[each.policy].holder) revert NotYours();
        mandate = keccak256(abi.encode("mandate", claim, assessor));
        each.assessor = assessor;
        each.mandate = mandate;
    }

    function assess(bytes32 claim, bytes32 mandate, uint128 amount) external returns (bytes32 finding) {
        Claim storage each = _claim(claim);
        if (msg.sender != each.assessor) revert NotYours();
        if (mandate != each.mandate) revert WrongReference();
        if (each.report != 0) revert WrongTime();
        if (amount == 0 || amount > each.loss) revert WrongAmount();
        each.assessed = amount;
        finding = keccak256(abi.encode("report", claim, mandate, amount));
        each.report = finding;
        emit Assessed(claim, finding, amount);
    }

    function countersign(bytes32 claim, bytes32 finding) external {
        Claim storage each = _claim(claim);
        _underwriterOf(each);
        if (finding == 0 || finding != each.report) revert WrongReference();
        if (each.appeal != 0) revert WrongTime();
        each.countersigned = true;
    }

    function appeal(bytes32 claim, bytes32 finding) external payable returns (bytes32 reference_) {
        Claim storage each = _claim(claim);
        if (policies[each.policy].holder != msg.sender) revert NotYours();
        if (finding == 0 || finding != each.report) revert WrongReference();
        if (each.appeal != 0 || each.paid || !each.countersigned) revert WrongTime();
        if (msg.value != APPEAL_FEE) revert WrongAmount();
        credit[each.assessor] += msg.value;
        reference_ = keccak256(abi.encode("appeal", claim, finding));
        each.appeal = reference_;
        claimOfAppeal[reference_] = claim;
        emit Appealed(claim, reference_);
    }

    function rule(bytes32 reference_, uint128 amount) external returns (bytes32 ruling) {
        bytes32 claim = claimOfAppeal[reference_];
        Claim storage each = _claim(claim);
        if (msg.sender != each.assessor) revert NotYours();
        if (each.ruling != 0) revert WrongTime();
        if (amount <= each.assessed || amount > policies[each.policy].cover) revert WrongAmount();
        each.ruled = amount;
        ruling = keccak256(abi.encode("ruling", reference_, amount));
        each.ruling = ruling;
    }

    function enforce(bytes32 claim, bytes32 ruling) external {
        Claim storage each = _claim(claim);
        if (policies[each.policy].holder != msg.sender) revert NotYours();
        if (ruling == 0 || ruling != each.ruling) revert WrongReference();
        if (each.enforced || each.paid) revert WrongTime();
        each.enforced = true;
        _payOut(each.policy, each.ruled);
    }

    /// What was assessed; the ruling should have taken its place.
    function settle(bytes32 claim, bytes32 finding) external {
        Claim storage each = _claim(claim);
        if (policies[each.policy].holder != msg.sender) revert NotYours();
        if (finding == 0 || finding != each.report) revert WrongReference();
        if (!each.countersigned || each.paid) revert WrongTime();
        each.paid = true;
        _payOut(each.policy, each.assessed);
    }

    function _payOut(bytes32 policy, uint128 amount) private {
        Policy storage each = policies[policy];
        each.paid += amount;
        pools[each.pool].capital -= amount;
        credit[each.holder] += amount;
        emit PaidOut(policy, amount);
    }

    function _claim(bytes32 claim) private view returns (Claim storage each) {
        each = claims[claim];
        if (each.policy == 0) revert NotThere();
    }

    function _underwriterOf(Claim storage each) private view {
        if (pools[policies[each.policy].pool].underwriter != msg.sender) revert NotYours();
    }

    function _identifier(string memory kind) private returns (bytes32) {
        return keccak256(abi.encode(kind, msg.sender, ++serial));
    }

    /// No policy pays more than its cover.
    function echidna_ok() public view returns (bool) {
        for (uint256 i = 0; i < sold.length; i++) {
            Policy storage each = policies[sold[i]];
            if (each.paid > each.cover) return false;
        }
        return true;
    }
}
