// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

type Price is uint96;

/// @notice Signed and short types: conversions, overflow checks, shifts, fixed bytes.
contract SmallIntegers {
    enum Stage {
        Idle,
        Open,
        Closed
    }

    int8 private small;
    int256 private wide;
    int128 private half;
    uint24 private odd;
    bytes5 private letters;
    Stage private stage;
    Price private price;

    function addSmall(int8 x) external {
        small += x;
    }

    function divide(int256 a, int256 b) external {
        wide = a / b;
        assert(wide * b + a % b == a || b == -1);
    }

    function multiply(int128 a, int128 b) external {
        half = a * b;
    }

    function negate(int256 x) external {
        wide = x < 0 ? -x : ~x;
    }

    function shift(uint24 x, uint8 by, int64 y) external {
        odd = (x << (by % 30)) | uint24(x >> (by % 7));
        wide = int256(y >> (by % 70)) + int256(y) * 3;
    }

    function cut(bytes32 x, uint256 y) external {
        letters = bytes5(x) ^ bytes5(uint40(y));
        odd = uint24(bytes3(letters));
        letters = letters << 8 | bytes5(uint40(uint8(x[y % 32])));
    }

    function advance(uint8 to) external {
        stage = Stage(to);
    }

    function advanceOne() external {
        stage = stage == Stage.Closed ? Stage.Idle : Stage(uint8(stage) + 1);
    }

    function setPrice(Price x) external {
        price = Price.wrap(Price.unwrap(x) + 1);
    }

    function power(int16 base, uint8 exponent) external {
        wide = int256(base) ** exponent;
        wide = 3 ** uint256(exponent) > 1e20 ? wide : int256(-2) ** exponent;
    }

    function narrow(uint256 x) external {
        require(x < 2 ** 30, "too wide");
        odd = uint24(x);
        small = int8(int256(x));
        half = int128(uint128(type(uint128).max - x));
    }

    function echidna_small_is_not_minimal() external view returns (bool) {
        return small > -120;
    }

    function echidna_is_never_closed_at_a_price() external view returns (bool) {
        return stage != Stage.Closed || Price.unwrap(price) < 1000;
    }
}
