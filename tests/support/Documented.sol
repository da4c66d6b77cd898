// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

// Contracts on which each documented mode and option of Echidna decides a verdict
// (tests/backends/test_documented_options.py).

interface Vm {
    function ffi(string[] calldata command) external returns (bytes memory);
    function assume(bool) external pure;
    function assertTrue(bool) external pure;
}

Vm constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

/// @notice One function for each rule by which a call or a property fails.
contract Modes {
    uint8 private kept;

    event AssertionFailed(string why);
    event AssertionPassed(string why);

    function set(uint8 to) external { kept = to; }

    // Assertion mode: these fail ...
    function asserts(uint8 n) external pure { assert(n < 100); }
    function emits(uint8 n) external { if (n > 100) emit AssertionFailed("large"); }
    function emitsAndReverts(uint8 n) external {
        if (n < 100) return;
        emit AssertionFailed("undone");
        revert("undone");
    }
    function invalid(uint8 n) external pure { if (n > 100) assembly { invalid() } }
    function passesOn(uint8 n) external view { this.asserts(n); }
    function saysSo(uint8 n) external pure { require(n < 100, "assertion failed: large"); }

    // ... and these don't.
    function catches(uint8 n) external view { try this.asserts(n) {} catch {} }
    function requires(uint8 n) external pure { require(n < 100, "large"); }
    function divides(uint8 n) external pure returns (uint8) { return 100 / n; }
    function otherEvent() external { emit AssertionPassed("fine"); }

    // Overflow mode: this fails, and in assertion mode it does not.
    function adds(uint8 n) external pure returns (uint8) { return n + 100; }

    function echidna_small() external view returns (bool) { return kept < 200; }
    function echidna_true() external pure returns (bool) { return true; }
    function echidna_reverts() external view returns (bool) {
        require(kept < 200);
        return true;
    }
    function echidna_burns() external view returns (bool) {
        if (kept > 200) assembly { invalid() }
        return true;
    }
    function echidna_revert_always() external pure returns (bool) { revert(); }
    function echidna_revert_sometimes() external view returns (bool) {
        require(kept > 200);
        return true;
    }
}

/// @notice Assertions that fail below the called function, and other ends of calls.
contract Nested {
    Modes private other = new Modes();

    function emitsBelow(uint8 n) external { try other.emitsAndReverts(n) {} catch {} }
    function tells(uint8 n) external pure { vm.assertTrue(n < 100); }
    function catchesTold(uint8 n) external pure { try vm.assertTrue(n < 100) {} catch {} }
    function assumes(uint8 n) external pure { vm.assume(n < 100); assert(n < 100); }
    function loops(uint8 n) external pure { while (n > 100) {} }
}

/// @notice Functions of another contract with the selectors of its own.
contract Twin {
    function asserts(uint8) external pure {}
    function emits(uint8) external pure {}
    function set(uint8) external pure {}
}

/// @notice What properties return, from the beginning on.
contract Answers {
    function touch() external {}
    function echidna_one() external pure returns (bool) {
        assembly { mstore(0, 1) return(0, 32) }
    }
    function echidna_two() external pure returns (bool) {
        assembly { mstore(0, 2) return(0, 32) }
    }
    function echidna_long() external pure returns (bool) {
        assembly { mstore(0, 1) return(0, 64) }
    }
    function echidna_empty() external pure returns (bool) { assembly { return(0, 0) } }
    function echidna_loops() external pure returns (bool) { while (true) {} return true; }
    function echidna_revert_invalid() external pure returns (bool) {
        assembly { invalid() }
    }
    function echidna_revert_loops() external pure returns (bool) {
        while (true) {}
        return true;
    }
    function echidna_revert_empty() external pure returns (bool) {
        assembly { return(0, 0) }
    }
}

/// @notice Time passes with calls that revert, and no property is asked after them.
contract Frozen {
    uint256 private begun = block.timestamp;

    function fails() external pure { revert(); }
    function echidna_frozen() external view returns (bool) {
        return block.timestamp == begun;
    }
}

/// @notice Values are asked even then.
contract Clock {
    uint256 private begun = block.timestamp;

    function fails() external pure { revert(); }
    function echidna_clock() external view returns (int256) {
        return block.timestamp > begun ? int256(1) : int256(0);
    }
}

/// @notice `setUp()` is called where there is `IS_TEST()` as well.
contract SetUp {
    bool private ready;
    address private by;

    function touch() external {}
    function setUp() external { (ready, by) = (true, msg.sender); }
    function echidna_unready() external view returns (bool) { return !ready; }
    function echidna_by_others() external view returns (bool) {
        return by != address(0x30000);
    }
}

contract SetUpTest is SetUp {
    bool public constant IS_TEST = true;
}

/// @notice Arithmetic that wraps is no overflow, nor is one whose failure is caught.
contract Wraps {
    Adder private other = new Adder();

    function catches(uint8 n) external view { try other.adds(n) returns (uint8) {} catch {} }
    function wraps(uint8 n) external pure returns (uint8) { unchecked { return n + 100; } }
}

contract Adder {
    function adds(uint8 n) external pure returns (uint8) { return n + 100; }
}

/// @notice Values to maximize.
contract Best {
    uint8 private kept;

    function set(uint8 to) external { kept = to; require(to != 100); }
    function echidna_best() external view returns (int256) { return int256(uint256(kept)); }
    function echidna_least() external view returns (int256) { return -3 - int256(uint256(kept)); }
    function echidna_none() external pure returns (int256) { revert(); }
    function echidna_time() external view returns (int256) {
        return block.timestamp > 1524785992 ? int256(1) : int256(0);
    }
}

contract FoundryTests {
    bool public constant IS_TEST = true;
    uint8 private kept;
    Target private target;

    function setUp() external { target = new Target(); kept = 1; }
    function test_fuzz(uint8 n) external pure { require(n < 200); }
    function test_holds(uint8 n) external view { require(n < 200 || kept == 1); }
    function test_assumes(uint8 n) external pure { vm.assume(n < 200); require(n < 200); }
    function test_unit() external pure { revert("no arguments"); }
    function invariant_small() external view { require(target.kept() < 200); }
    function invariant_true() external view { require(kept == 1); }
    function helper(uint8 n) external pure { require(n < 200); }
}

contract Target {
    uint8 public kept;

    function set(uint8 to) external { kept = to; }
    function echidna_other() external view returns (bool) { return kept < 200; }
}

/// @notice What is destroyed where.
contract Destroyed {
    function self(uint8 n) external { if (n > 100) selfdestruct(payable(msg.sender)); }
}

contract Destroys {
    function child(uint8 n) external { if (n > 100) new Destroyed().self(n); }
}

/// @notice Who is who, and what is where.
contract Roles {
    address private immutable deployer = msg.sender;
    address private stranger;
    uint256 private immutable begun = address(this).balance;

    constructor() payable {}

    function poke() external {
        bool known = msg.sender == address(0x10000) || msg.sender == address(0x20000)
            || msg.sender == address(0x30000);
        if (!known || msg.sender != tx.origin) stranger = msg.sender;
    }
    function echidna_address() external view returns (bool) {
        return address(this) == 0x00a329c0648769A73afAc7F9381E08FB43dBEA72;
    }
    function echidna_deployer() external view returns (bool) {
        return deployer == address(0x30000);
    }
    function echidna_psender() external view returns (bool) {
        return msg.sender == address(0x10000);
    }
    function echidna_sender() external view returns (bool) { return stranger == address(0); }
    function echidna_balances() external view returns (bool) {
        return address(0x10000).balance == 0xffffffff && address(0x20000).balance == 0xffffffff
            && address(0x30000).balance == 0xffffffff;
    }
    function echidna_empty() external view returns (bool) { return begun == 0; }
}

/// @notice How long a sequence is.
contract Counts {
    uint256 private length;

    function count() external { length++; }
    function echidna_short() external view returns (bool) { return length < 4; }
}

/// @notice What comes with a call.
contract Pays {
    bool private rich;
    bool private priced;

    function pay() external payable { rich = rich || msg.value > 1000; }
    function price() external { priced = priced || tx.gasprice == 7; }
    function echidna_poor() external view returns (bool) { return !rich; }
    function echidna_free() external view returns (bool) { return !priced; }
    // What comes is minted, so that senders keep what they have.
    function echidna_minted() external view returns (bool) {
        return address(0x10000).balance == 0xffffffff;
    }
}

/// @notice How much time passes before a call.
contract Waits {
    uint256 private time = block.timestamp;
    uint256 private number = block.number;
    bool private late;
    bool private far;
    bool private moved;

    function wait() external {
        late = late || block.timestamp - time > 1000;
        far = far || block.number - number > 50;
        moved = moved || block.timestamp != time || block.number != number;
        (time, number) = (block.timestamp, block.number);
    }
    function echidna_soon() external view returns (bool) { return !late; }
    function echidna_near() external view returns (bool) { return !far; }
    function echidna_still() external view returns (bool) { return !moved; }
}

/// @notice What takes gas.
contract Gas {
    bool private heavy;

    function burn() external {
        uint256 sum;
        for (uint256 i = 0; i < 1000; i++) sum += i * sum;
        heavy = sum == 0;
    }
    function light() external {}
    function echidna_light() external view returns (bool) { return !heavy; }
    function echidna_cheap() external pure returns (bool) {
        uint256 sum;
        for (uint256 i = 0; i < 100; i++) sum += i;
        return sum > 0;
    }
}

/// @notice A number that only the dictionary knows.
contract Magic {
    bool private touched;
    bool private found;

    function touch() external { touched = true; }
    function guess(uint64 n) external { if (n == 0x1122334455667788) found = true; }
    function echidna_untouched() external view returns (bool) { return !touched; }
    function echidna_hidden() external view returns (bool) { return !found; }
}

/// @notice Properties by another prefix.
contract Prefixed {
    uint8 private kept;

    function set(uint8 to) external { kept = to; }
    function fuzz_small() external view returns (bool) { return kept < 200; }
    function fuzz_true() external pure returns (bool) { return true; }
    function fuzz_revert_always() external pure returns (bool) { revert(); }
    function fuzz_revert_never() external pure returns (bool) { return true; }
    function echidna_called() external returns (bool) { kept = 201; return kept < 200; }
}

/// @notice Which functions are called.
contract Filters {
    bool private broken;

    function good(uint8 n) external { broken = broken && n < 100; }
    function bad(uint8 n) external { broken = broken || n > 100; }
    function reads(uint8 n) external view returns (bool) { assert(n < 100); return broken; }
    function computes(uint8 n) external pure { assert(n < 100); }
    function echidna_whole() external view returns (bool) { return !broken; }
}

/// @notice What else is deployed, and called.
contract Placed {
    uint256 private immutable given;
    uint8 private kept;

    constructor(uint256 first) { given = first; }

    function poke(uint8 n) external { kept = n; }
    function argument() external view returns (uint256) { return given; }
    function whole() external view returns (bool) { return kept < 100; }
    function echidna_untested() external view returns (bool) { return kept < 100; }
}

contract Neighbours {
    uint8 private kept;

    function set(uint8 to) external { kept = to; }
    function echidna_alone() external view returns (bool) {
        return address(0x2222).code.length == 0 || Placed(address(0x2222)).argument() != 0;
    }
    function echidna_no_bytecode() external view returns (bool) {
        (bool done, bytes memory answer) = address(0x3333).staticcall("");
        return !done || answer.length == 0 || abi.decode(answer, (uint256)) != 42;
    }
    function echidna_uncalled() external view returns (bool) {
        return address(0x2222).code.length == 0 || Placed(address(0x2222)).whole();
    }
}

library Halves {
    function half(uint256 n) external pure returns (uint256) { return n / 2; }
}

contract Linked {
    uint256 private kept;

    function set(uint8 to) external { kept = Halves.half(to); }
    function echidna_half() external view returns (bool) { return kept < 100; }
    function echidna_place() external view returns (bool) {
        return address(Halves) != address(0x11111);
    }
}

/// @notice A program of the machine.
contract Programs {
    bool private ran;

    function run() external {
        string[] memory command = new string[](2);
        (command[0], command[1]) = ("printf", "0x2a2b");
        ran = keccak256(vm.ffi(command)) == keccak256(hex"2a2b");
    }
    function set(uint8) external {}
    function echidna_unrun() external view returns (bool) { return !ran; }
}
