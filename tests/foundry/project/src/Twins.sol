// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

contract Twin {
    uint256 public number = 2;
}
