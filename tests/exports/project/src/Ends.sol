// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Logger {
    event AssertionFailed(string reason, uint256 number);

    function log(uint256 number) external {
        emit AssertionFailed("below", number);
    }

    function logAndRevert(uint256 number) external {
        emit AssertionFailed("reverted", number);
        revert();
    }
}

interface Vm {
    function assertEq(uint256, uint256) external pure;
    function assertLt(uint256, uint256, string calldata) external pure;
    function store(address, bytes32, bytes32) external;
}

/// All ways in which an assertion fails.
contract Ends {
    bool internal constant BUGGY = true;
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);

    event AssertionFailed(uint256);

    Logger internal logger = new Logger();
    uint256 public count;

    function panic(uint256 x) external {
        if (BUGGY) assert(x < 10);
    }

    function step() external {
        count++;
    }

    function panicLater() external {
        if (BUGGY) assert(count < 3);
    }

    function invalid(uint256 x) external {
        if (BUGGY && x == 7) {
            assembly {
                invalid()
            }
        }
    }

    function message(uint256 x) external {
        if (BUGGY) require(x < 10, "assertion failed: too large");
    }

    function anEvent(uint256 x) external {
        if (BUGGY && x > 3) emit AssertionFailed(x);
    }

    function anEventThatIsReverted(uint256 x) external {
        if (BUGGY && x > 3) {
            emit AssertionFailed(x);
            revert("gone");
        }
    }

    function anEventBelow(uint256 x) external {
        if (BUGGY) logger.log(x);
    }

    function anEventBelowThatIsReverted(uint256 x) external {
        if (BUGGY && x > 5) try logger.logAndRevert(x) {} catch {}
    }

    function cheatcode(uint256 x) external {
        if (BUGGY) vm.assertEq(x, 0);
    }

    function cheatcodeWithMessage(uint256 x) external {
        if (BUGGY) vm.assertLt(x, 100, "hundred");
    }

    function flag(uint256 x) external {
        if (BUGGY && x > 2) vm.store(address(vm), "failed", bytes32(uint256(1)));
    }

    function paid(uint256 x) external payable {
        if (BUGGY) assert(msg.value < 5 || x < 5);
    }

    function overflow(uint256 x) external {
        if (BUGGY) count += x * 3;
    }
}

contract Overflow {
    bool internal constant BUGGY = true;

    uint256 public total;

    function add(uint256 x) external {
        if (BUGGY || x < 100) total += x;
        if (total > 1000) total = 0;
    }
}

contract Destroyed {
    function end() external {
        selfdestruct(payable(msg.sender));
    }
}

contract Destroyer {
    bool internal constant BUGGY = true;

    function make(uint256 x) external {
        Destroyed made = new Destroyed();
        if (BUGGY && x > 6) made.end();
    }
}

contract Value {
    bool internal constant BUGGY = true;

    int256 internal best = -5;

    function raise(uint8 by) external {
        if (BUGGY && by < 9) best += int8(by);
        if (best > 20) best = 20;
    }

    function echidna_value() external view returns (int256) {
        return best;
    }
}
