// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice The smallest target: one word of state, one bound.
contract Counter {
    uint256 public count;
    uint256 public calls;

    function increment() external {
        calls++;
        if (count < 1000) count++;
    }

    function decrement() external {
        calls++;
        if (count > 0) count--;
    }

    function add(uint256 amount) external {
        require(amount <= 10, "too much at once");
        calls++;
        count = count + amount > 1000 ? 1000 : count + amount;
    }

    function echidna_count_is_bounded() external view returns (bool) {
        return count <= 1000;
    }

    function echidna_fewer_than_forty_calls() external view returns (bool) {
        return calls < 40;
    }
}
