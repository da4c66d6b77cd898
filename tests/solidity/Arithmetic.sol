// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Loops of checked arithmetic.
contract Arithmetic {
    uint256 public result;
    uint256 private rounds;

    function sum(uint16 count) external {
        uint256 total = 1;
        for (uint256 i = 0; i < 100 + count % 400; i++) {
            total = total + i * 3;
            if (total & 7 == 3) total ^= i;
            else total += 5;
            total = total % (2 ** 200);
        }
        keep(total);
    }

    function power(uint256 base, uint8 exponent) external {
        uint256 product = 1;
        uint256 modulus = 2 ** 127 - 1;
        base %= modulus;
        for (uint256 i = 0; i < 32 + exponent % 64; i++) {
            product = product * base % modulus;
            if (i % 3 == 0) product = product / 2 + i;
        }
        keep(product);
    }

    function greatestDivisor(uint128 a, uint128 b) external {
        uint256 x = a;
        uint256 y = b;
        while (y != 0) (x, y) = (y, x % y);
        keep(x);
    }

    function squareRoot(uint256 value) external {
        if (value == 0) return;
        uint256 guess = value / 2 + value % 2;
        uint256 root = value;
        while (guess < root) {
            root = guess;
            guess = (value / guess + guess) / 2;
        }
        assert(root * root <= value);
        keep(root);
    }

    function mayOverflow(uint256 a, uint256 b) external {
        keep(a * b + a - b);
    }

    function echidna_rounds_are_countable() external view returns (bool) {
        return rounds < 2 ** 64;
    }

    function echidna_result_is_not_the_answer() external view returns (bool) {
        return result != 42 || rounds < 2;
    }

    function keep(uint256 value) private {
        result = value;
        rounds++;
    }
}
