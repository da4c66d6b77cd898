// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {UD60x18, ud} from "@prb/math/src/UD60x18.sol";

/// @notice Identities of PRBMath's unsigned 60.18-decimal numbers.
contract PrbMath {
    uint256 private constant UNIT = 1e18;
    bool private immutable planted;

    constructor(bool planted_) {
        planted = planted_;
    }

    function multiply(uint128 a, uint128 b) external pure {
        assert(ud(a).mul(ud(b)).unwrap() == ud(b).mul(ud(a)).unwrap());
        assert(ud(a).mul(ud(UNIT)).unwrap() == a);
    }

    function divide(uint128 a, uint128 b) external view {
        uint256 quotient = ud(a).div(ud(b)).unwrap();
        // The bug: a claim that holds only for small quotients.
        if (planted) assert(quotient < 2 ** 100);
        assert(ud(quotient).mul(ud(b)).unwrap() <= a);
    }

    function root(uint128 a) external pure {
        UD60x18 root_ = ud(a).sqrt();
        assert(root_.mul(root_).unwrap() <= a);
    }

    function exponent(uint64 a) external pure {
        // ln is the inverse of exp, up to errors of rounding.
        UD60x18 a_ = ud(uint256(a) % (100 * UNIT));
        uint256 back = a_.exp().ln().unwrap();
        assert(back <= a_.unwrap() + 1000 && a_.unwrap() <= back + 1000);
    }

    function floorAndCeil(uint128 a) external pure {
        assert(ud(a).floor().unwrap() <= a && a <= ud(a).ceil().unwrap());
        assert(ud(a).floor().add(ud(a).frac()).unwrap() == a);
    }
}
