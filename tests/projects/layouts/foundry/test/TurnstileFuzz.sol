// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Turnstile} from "../src/Turnstile.sol";

contract TurnstileFuzz {
    bool public constant IS_TEST = true;
    Turnstile private turnstile;

    function setUp() external {
        turnstile = new Turnstile();
    }

    function echidna_those_who_left_are_counted() external view returns (bool) {
        (, uint256 down) = turnstile.people();
        return turnstile.left() == down;
    }
}
