// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice After the classic example of Echidna: two flags that fall one after the other.
contract Flags {
    bool private first = true;
    bool private second = true;

    function lowerFirst(int256 value) external {
        if (value % 100 == 0) first = false;
    }

    function lowerSecond(int256 value) external {
        if (value % 10 == 0 && !first) second = false;
    }

    function echidna_sum_is_two() external pure returns (bool) {
        return 1 + 1 == 2;
    }

    function echidna_second_is_up() external view returns (bool) {
        return second;
    }
}
