// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {SD59x18, sd} from "@prb/math/src/SD59x18.sol";
import {UD60x18, ud} from "@prb/math/src/UD60x18.sol";
import {Suite} from "./Suite.sol";

/// @notice Signed and unsigned numbers of PRBMath as they come, however large.
contract Numbers {
    uint256 public unsigned;
    int256 public signed;

    function one(uint8 kind, uint256 a) external {
        UD60x18 x = ud(a);
        UD60x18 y;
        kind %= 10;
        if (kind == 0) y = x.ceil();
        if (kind == 1) y = x.floor();
        if (kind == 2) y = x.exp();
        if (kind == 3) y = x.exp2();
        if (kind == 4) y = x.inv();
        if (kind == 5) y = x.ln();
        if (kind == 6) y = x.log10();
        if (kind == 7) y = x.log2();
        if (kind == 8) y = x.sqrt();
        if (kind == 9) y = x.frac();
        unsigned = y.unwrap();
    }

    function two(uint8 kind, uint256 a, uint256 b) external {
        (UD60x18 x, UD60x18 y) = (ud(a), ud(b));
        UD60x18 z;
        kind %= 6;
        if (kind == 0) z = x.avg(y);
        if (kind == 1) z = x.div(y);
        if (kind == 2) z = x.gm(y);
        if (kind == 3) z = x.mul(y);
        if (kind == 4) z = x.pow(y);
        if (kind == 5) z = x.powu(b);
        unsigned = z.unwrap();
    }

    function oneSigned(uint8 kind, int256 a) external {
        SD59x18 x = sd(a);
        SD59x18 y;
        kind %= 11;
        if (kind == 0) y = x.ceil();
        if (kind == 1) y = x.floor();
        if (kind == 2) y = x.exp();
        if (kind == 3) y = x.exp2();
        if (kind == 4) y = x.inv();
        if (kind == 5) y = x.ln();
        if (kind == 6) y = x.log10();
        if (kind == 7) y = x.log2();
        if (kind == 8) y = x.sqrt();
        if (kind == 9) y = x.frac();
        if (kind == 10) y = x.abs();
        signed = y.unwrap();
    }

    function twoSigned(uint8 kind, int256 a, int256 b) external {
        (SD59x18 x, SD59x18 y) = (sd(a), sd(b));
        SD59x18 z;
        kind %= 6;
        if (kind == 0) z = x.avg(y);
        if (kind == 1) z = x.div(y);
        if (kind == 2) z = x.gm(y);
        if (kind == 3) z = x.mul(y);
        if (kind == 4) z = x.pow(y);
        if (kind == 5) z = x.powu(uint256(b));
        signed = z.unwrap();
    }
}

contract PrbMathTest is Suite {
    Numbers private numbers;

    function setUp() external {
        numbers = new Numbers();
        targets.push(address(numbers));
    }

    function invariant_within_range() external view {
        require(numbers.unsigned() <= type(uint256).max);
    }
}
