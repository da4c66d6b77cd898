// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Turnstile} from "../src/Turnstile.sol";

contract TurnstileFuzz is Turnstile {
    bool public constant IS_TEST = true;
    bool private ready;

    function setUp() external {
        ready = true;
    }

    function echidna_those_who_left_are_counted() external view returns (bool) {
        return ready && left == people.down;
    }
}
