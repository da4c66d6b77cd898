// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Helper {
    event AssertionFailed(string reason);

    function check(uint256 value) external {
        if (value % 64 == 9) emit AssertionFailed("nine");
        if (value % 64 == 11) {
            emit AssertionFailed("eleven, but undone");
            revert("undone");
        }
    }
}

/// @notice For assertion mode: each way to fail, and what looks like one but is none.
contract Assertions {
    event AssertionFailed();
    event AssertionFailed(string reason);
    event AssertionFailed(uint256 left, uint256 right);
    event AssertionFailedNot(uint256 value);

    Helper private immutable helper = new Helper();
    uint256 private steps;
    uint256[] private list;

    function step(uint256 by) external {
        steps += by % 5;
        assert(steps < 25);
    }

    function panicOfAnotherKind(uint256 index, uint256 divisor) external {
        steps += list[index] / divisor;
    }

    function logs(uint8 kind) external {
        if (kind == 77) emit AssertionFailed();
        if (kind == 88) emit AssertionFailed("kind");
        if (kind == 99) emit AssertionFailed(kind, 88);
        emit AssertionFailedNot(kind);
    }

    function logsElsewhere(uint256 value) external {
        try helper.check(value) {} catch {}
    }

    function invalid(uint8 x) external pure {
        if (x % 32 == 5) {
            assembly {
                invalid()
            }
        }
    }

    function caught(uint8 x) external {
        try this.invalid{gas: 100_000}(x) {} catch {}
    }

    function byHand(uint256 code) external pure {
        bytes memory data = abi.encodeWithSignature("Panic(uint256)", code % 20);
        assembly {
            revert(add(data, 32), mload(data))
        }
    }

    function push(uint256 value) external {
        list.push(value);
        require(list.length < 10, "full");
    }
}
