// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

abstract contract BaseSetup {
    function setup() internal virtual;
}
