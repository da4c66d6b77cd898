// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Gate} from "./Gate.sol";

contract GateFuzz {
    Gate private immutable gate;

    constructor(Gate gate_) payable {
        gate = gate_;
    }

    function property_not_too_many_inside() external view returns (bool) {
        return gate.inside() <= gate.most() && address(this).balance >= 1e18;
    }
}
