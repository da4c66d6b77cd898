// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";

struct Selectors {
    address addr;
    bytes4[] selectors;
}

/// What handlers call. It has nothing that a sender could do by itself.
contract Payee {
    uint256 public calls;
    address public by;

    function pay() external payable {
        calls++;
        by = msg.sender;
    }

    function look() external view returns (uint256) {
        return calls;
    }
}

/// One sender, who is nobody's callee, so that whatever a callee sends is an override.
abstract contract Overridden is Base {
    address[] internal targets;

    function target(address one) internal {
        targets.push(one);
    }

    function targetContracts() public view returns (address[] memory) {
        return targets;
    }

    function targetSenders() public pure returns (address[] memory senders) {
        senders = new address[](1);
        senders[0] = address(0x1111);
    }
}

contract Shop {
    Payee public payee;
    bool internal open;
    address public reentered;
    bool public skipped;
    bool public answered;
    bool public paidFirst;
    bool public unpaid;
    uint256 internal before;

    constructor(Payee one) payable {
        payee = one;
    }

    function plain() external {
        uint256 calls = payee.calls();
        open = true;
        (bool done, bytes memory said) = address(payee).call(abi.encodeCall(Payee.pay, ()));
        open = false;
        if (payee.calls() == calls && done) skipped = true;
        if (said.length == 32) answered = true;
    }

    function valued() external {
        before = address(payee).balance;
        open = true;
        (bool done,) = address(payee).call{value: 5}(abi.encodeCall(Payee.pay, ()));
        open = false;
        before = 0;
        require(done);
    }

    function sends() external {
        uint256 had = address(payee).balance;
        bool done = payable(address(payee)).send(3);
        if (done && address(payee).balance == had) unpaid = true;
    }

    function enter() external returns (uint256) {
        if (open) {
            reentered = msg.sender;
            if (before != 0 || address(payee).balance == before + 5) paidFirst = true;
        }
        return 1;
    }

    function nothing() external {}
}

abstract contract ShopTest is Overridden {
    Payee internal payee;
    Shop internal shop;

    function setUp() public {
        payee = new Payee();
        shop = new Shop{value: 1 ether}(payee);
        target(address(shop));
    }
}

contract WithoutOverridesTest is ShopTest {
    function invariant_NothingReenters() public view {
        check(shop.reentered() == address(0), "reentered");
    }

    function invariant_EveryCallIsMade() public view {
        check(!shop.skipped(), "skipped");
    }
}

/// forge-config: default.invariant.call_override = true
contract OverridesTest is ShopTest {
    function invariant_Fails_Reentered() public view {
        check(shop.reentered() == address(0), "reentered");
    }

    function invariant_ByTheCallee() public view {
        address by = shop.reentered();
        check(by == address(0) || by == address(payee), "by another");
    }

    function invariant_Fails_InPlaceOfTheCall() public view {
        check(!shop.skipped(), "skipped");
    }

    function invariant_Fails_ItsAnswerIsTaken() public view {
        check(!shop.answered(), "answered");
    }

    function invariant_Fails_TheValueIsPaidFirst() public view {
        check(!shop.paidFirst(), "paid first");
    }

    function invariant_Fails_AStipendPaysNothing() public view {
        check(!shop.unpaid(), "unpaid");
    }
}

/// What calls a target, and is none.
contract Middle {
    function pass(address to) external {
        (bool done,) = to.call(abi.encodeCall(Payee.pay, ()));
        require(done);
    }
}

contract Front {
    Middle internal middle = new Middle();
    Payee public payee;
    address public by;

    constructor(Payee one) {
        payee = one;
    }

    function middleman() public view returns (address) {
        return address(middle);
    }

    function go() external {
        (bool done,) = address(middle).call(abi.encodeCall(Middle.pass, (address(payee))));
        require(done);
    }

    function enter() external {
        by = msg.sender;
    }
}

abstract contract FrontTest is Overridden {
    Payee internal payee;
    Front internal front;

    function setUp() public virtual {
        payee = new Payee();
        front = new Front(payee);
        target(address(front));
    }
}

/// forge-config: default.invariant.call_override = true
contract CallerOrCalleeTest is FrontTest {
    function invariant_NeitherIsATarget() public view {
        check(front.by() != address(payee), "by the payee");
    }

    function invariant_Fails_TheCallerIs() public view {
        check(front.by() != front.middleman(), "by the middleman");
    }
}

/// forge-config: default.invariant.call_override = true
contract CalleeTest is FrontTest {
    function setUp() public override {
        super.setUp();
        target(address(payee));
    }

    function invariant_Fails_TheCalleeIs() public view {
        check(front.by() != address(payee) && payee.by() != address(payee), "by the payee");
    }
}

contract Careful {
    Payee internal payee = new Payee();
    address public by;
    uint256 public failed;

    function looks() external {
        (bool done,) = address(payee).staticcall(abi.encodeCall(Payee.look, ()));
        if (!done) failed++;
    }

    function delegates() external {
        (bool done,) = address(payee).delegatecall(abi.encodeCall(Payee.look, ()));
        if (!done) failed++;
    }

    function creates() external {
        payee = new Payee();
    }

    function enter() external {
        by = msg.sender;
    }
}

/// forge-config: default.invariant.call_override = true
contract OnlyCallsTest is Overridden {
    Careful internal careful;

    function setUp() public {
        careful = new Careful();
        target(address(careful));
    }

    function invariant_NothingElseIsReplaced() public view {
        check(careful.failed() == 0, "failed");
        check(careful.by() == address(0) || careful.by() == address(0x1111), "entered");
    }
}

contract Pranking is Base {
    Payee public payee = new Payee();
    bool internal open;
    address public by;
    bool public kept;
    bool public ended;

    function cheats() external {
        open = true;
        vm.deal(address(this), 1);
        open = false;
    }

    function once() external {
        if (open) return;
        uint256 calls = payee.calls();
        open = true;
        vm.prank(address(0x1234));
        (bool done,) = address(payee).call(abi.encodeCall(Payee.pay, ()));
        open = false;
        if (done && payee.calls() == calls) {
            payee.pay();
            if (payee.by() == address(this)) ended = true;
        }
    }

    function lasting() external {
        uint256 calls = payee.calls();
        vm.startPrank(address(0x1234));
        (bool done,) = address(payee).call(abi.encodeCall(Payee.pay, ()));
        if (done && payee.calls() == calls) {
            (done,) = address(payee).call(abi.encodeCall(Payee.pay, ()));
            if (payee.calls() == calls + 1 && payee.by() == address(0x1234)) kept = true;
        }
        vm.stopPrank();
    }

    function enter() external {
        if (open) by = msg.sender;
    }
}

/// forge-config: default.invariant.call_override = true
contract PrankedOverridesTest is Overridden {
    Pranking internal pranking;

    function setUp() public {
        pranking = new Pranking();
        target(address(pranking));
    }

    function targetSelectors() public view returns (Selectors[] memory chosen) {
        chosen = new Selectors[](1);
        chosen[0].addr = address(pranking);
        chosen[0].selectors = new bytes4[](4);
        chosen[0].selectors[0] = Pranking.cheats.selector;
        chosen[0].selectors[1] = Pranking.once.selector;
        chosen[0].selectors[2] = Pranking.lasting.selector;
        chosen[0].selectors[3] = Pranking.enter.selector;
    }

    function invariant_NoPrankIsForThem() public view {
        address by = pranking.by();
        check(by == address(0) || by == address(pranking.payee()), "the sender of a prank");
    }

    function invariant_Fails_TheyEndAPrankForOneCall() public view {
        check(!pranking.ended(), "ended");
    }

    function invariant_Fails_OtherPranksStay() public view {
        check(!pranking.kept(), "kept");
    }
}

/// forge-config: default.invariant.call_override = true
contract OwnCallsTest is Overridden {
    Payee internal payee;
    address internal by;

    function setUp() public {
        payee = new Payee();
        target(address(this));
    }

    function targetSelectors() public view returns (Selectors[] memory chosen) {
        chosen = new Selectors[](1);
        chosen[0].addr = address(this);
        chosen[0].selectors = new bytes4[](2);
        chosen[0].selectors[0] = this.go.selector;
        chosen[0].selectors[1] = this.enter.selector;
    }

    function go() external {
        payee.pay();
    }

    function enter() external {
        by = msg.sender;
    }

    function invariant_CallsOfTheTestAreMade() public view {
        check(by != address(payee), "entered");
    }
}

contract Nervous {
    Payee internal payee = new Payee();
    bool internal open;
    uint256 internal times;

    function go() external {
        open = true;
        payee.pay();
        open = false;
    }

    function quiet() external {
        open = true;
        (bool done,) = address(payee).call(abi.encodeCall(Payee.pay, ()));
        times += done ? 1 : 2;
        open = false;
    }

    function refuse() external {
        times++;
        require(!open, "it is open");
    }
}

/// forge-config: default.invariant.call_override = true
/// forge-config: default.invariant.fail_on_revert = true
contract RevertingOverridesTest is Overridden {
    function setUp() public {
        target(address(new Nervous()));
    }

    function invariant_Fails_ARevertThatIsPassedOn() public view {}
}

contract Silent {
    Payee internal payee = new Payee();
    bool internal open;
    uint256 internal times;

    function quiet() external {
        open = true;
        (bool done,) = address(payee).call(abi.encodeCall(Payee.pay, ()));
        times += done ? 1 : 2;
        open = false;
    }

    function asserts() external {
        times++;
        assert(!open);
    }
}

/// forge-config: default.invariant.call_override = true
/// forge-config: default.invariant.fail_on_revert = true
contract SilentOverridesTest is Overridden {
    function setUp() public {
        target(address(new Silent()));
    }

    function invariant_AFailureThatIsCaught() public view {}
}
