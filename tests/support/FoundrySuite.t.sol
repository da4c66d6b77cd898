// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface Vm {
    function assume(bool) external;
    function skip(bool) external;
    function prank(address) external;
    function warp(uint256) external;
    function assertEq(uint256, uint256) external;
    function assertTrue(bool, string calldata) external;
    function createSelectFork(string calldata) external returns (uint256);
}

contract Base {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
}

contract Bank is Base {
    mapping(address => uint256) public owned;
    uint256 public total;
    uint256 public largest;

    function deposit(uint96 amount) external {
        vm.assume(amount % 4 != 0);
        owned[msg.sender] += amount;
        total += amount;
        if (amount > largest) largest = amount;
    }

    function withdraw(uint96 amount) external {
        owned[msg.sender] -= amount;
        total -= amount;
    }

    function later(uint32 time) external {
        vm.warp(block.timestamp + time);
    }
}

contract BankInvariants is Base {
    Bank internal bank;

    function setUp() public {
        bank = new Bank();
        bank.deposit(1);
    }

    function invariant_TotalIsPositive() public view {
        assert(bank.total() >= bank.owned(address(this)));
    }

    function invariant_Fails_Largest() public {
        vm.assertTrue(bank.largest() < 1 << 90, "large");
    }

    /// forge-config: default.invariant.depth = 4
    /// forge-config: default.invariant.fail-on-revert = true
    function invariant_Fails_NothingReverts() public pure {}

    function invariant_Fails_Needs() public {
        vm.createSelectFork("mainnet");
    }
}

contract AfterBank is Base {
    Bank internal bank;

    function setUp() public {
        bank = new Bank();
    }

    function invariant_Holds() public pure {}

    function afterInvariant() public view {
        assert(bank.largest() == 0);
    }
}

contract AssertingHandler is Base {
    uint256 public count;

    function step(uint8 by) external {
        count += by;
        vm.assertEq(count % 256, count);
    }
}

contract HandlerInvariants is Base {
    function setUp() public {
        new AssertingHandler();
    }

    function invariant_OfAHandlerThatAsserts() public pure {}
}

contract StatelessTest is Base {
    uint256 internal number;
    uint256[] public fixtureKey = [0xABCDEF0123456789, 77];
    uint256[] public fixtureDouble = [0xABCDEF0123456789 * 2, 154];

    function setUp() public {
        number = 7;
    }

    function test_Unit() public {
        vm.assertEq(number, 7);
        number = 8;
    }

    function test_EachStartsAfterSetUp() public {
        vm.assertEq(number, 7);
        number = 9;
    }

    function test_Fails_Unit() public {
        vm.assertEq(number, 8);
    }

    function test_Skipped() public {
        vm.skip(true);
    }

    function test_NeedsAFork() public {
        vm.createSelectFork("mainnet");
    }

    function testFuzz_Holds(uint128 a, uint128 b) public pure {
        assert(uint256(a) + b >= a);
    }

    function testFuzz_Fails(uint256 value) public pure {
        require(value != 0x1234567890, "found");
    }

    function testFuzz_Fails_Fixture(uint256 key) public pure {
        require(key != 77, "a fixture");
    }

    string[] public fixtureText = ["nobody guesses that", ""];

    function testFuzz_Fails_TextFixture(string memory text) public pure {
        require(bytes(text).length != 19 || bytes(text)[18] != "t", "a fixture");
    }

    function testFuzz_SenderIsFoundrys(uint8) public view {
        require(msg.sender == 0x1804c8AB1F12E6bbf3894d4083f33e07309d1f38);
    }

    /// forge-config: default.fuzz.runs = 9
    function testFuzz_Nine(uint256 value) public {
        vm.assume(value % 2 == 1);
    }

    function testFuzz_Fails_TooManyRejects(uint256) public {
        vm.assume(false);
    }

    function table_Doubles(uint256 key, uint256 double) public pure {
        assert(key * 2 == double);
    }

    function table_Fails_Second(uint256 key) public pure {
        assert(key != 77);
    }
}

contract BrokenSetUpTest is Base {
    function setUp() public pure {
        revert("no world");
    }

    function test_Never() public {}

    function invariant_Never() public {}
}

contract SkippedSetUpTest is Base {
    function setUp() public {
        vm.skip(true);
    }

    function test_Never() public {}
}

contract StepsTest is Base {
    uint256 internal number;

    function beforeTestSetup(bytes4 test) public view returns (bytes[] memory steps) {
        steps = new bytes[](test == this.test_NoStep.selector ? 0 : 1);
        if (steps.length == 1) steps[0] = abi.encodeCall(this.add, (3));
    }

    function add(uint256 more) public {
        number += more;
    }

    function test_NoStep() public view {
        require(number == 0, "no step");
    }

    function testFuzz_Fails_AfterAStep(uint8 value) public view {
        require(value != 77 || number != 3, "77");
    }
}

contract PickyHandler is Base {
    uint256 public count;

    function step(uint8 by) external {
        vm.assume(by < 50);
        count++;
    }
}

contract PickyInvariants is Base {
    function setUp() public {
        new PickyHandler();
    }

    /// forge-config: default.invariant.max-assume-rejects = 2
    function invariant_Fails_TooManyRejects() public pure {}

    function invariant_Holds() public pure {}
}

/// Pays before it forgets what it owes, so that its payee can take twice.
contract Purse is Base {
    mapping(address => uint256) public owed;
    uint256 public given;
    uint256 public taken;

    function give(uint64 amount) external {
        owed[msg.sender] += amount;
        given += amount;
    }

    function take() external {
        uint256 amount = owed[msg.sender];
        vm.warp(block.timestamp + 1);
        (bool paid,) = msg.sender.call("");
        require(paid);
        owed[msg.sender] = 0;
        taken += amount;
    }
}

contract OpenPurse is Base {
    Purse internal purse;

    function setUp() public {
        purse = new Purse();
    }

    function targetContracts() public view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(purse);
    }

    function targetSenders() public pure returns (address[] memory senders) {
        senders = new address[](1);
        senders[0] = address(0x1111);
    }
}

contract ClosedInvariants is OpenPurse {
    function invariant_NobodyTakesMore() public view {
        assert(purse.taken() <= purse.given());
    }
}

/// forge-config: default.invariant.call_override = true
contract ReenteredInvariants is OpenPurse {
    function invariant_Fails_NobodyTakesMore() public view {
        assert(purse.taken() <= purse.given());
    }
}

contract Clerk {
    function refuse(uint8 number) external pure {
        require(number % 3 == 0, "refused");
    }

    function create() external {
        new Refused();
    }
}

contract Refused {
    constructor() {
        revert("not created");
    }
}

/// forge-config: default.fuzz.fail_on_revert = false
contract ExcusedTest is Base {
    Clerk internal clerk = new Clerk();

    function testFuzz_OfAnother(uint8 number) public view {
        clerk.refuse(number);
    }

    function testFuzz_WasCaught(uint8 number) public view {
        try clerk.refuse(number) {} catch {
            revert("own");
        }
    }

    function testFuzz_WasNotPaid(uint8 number) public {
        uint256 amount = number > 9 ? type(uint256).max : 0;
        (bool paid,) = address(0xB0B).call{value: amount}("");
        require(paid, "own");
    }

    function testFuzz_OfACreator(uint8 number) public {
        if (number > 9) clerk.create();
    }

    function testFuzz_Fails_OfACreation(uint8 number) public {
        if (number > 9) new Refused();
    }

    function testFuzz_Fails_ACheatcode(uint8 number) public {
        vm.assertEq(number, number < 200 ? number : 1);
        clerk.refuse(number);
    }

    function testFuzz_Fails_Own(uint8 number) public view {
        require(number < 99, "own");
        clerk.refuse(number);
    }
}
