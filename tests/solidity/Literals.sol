// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// A registry that knows a name, a key and a tag by what the code does not hold as such.
contract Literals {
    string private constant NAME = "the \"quick\" brown fox, longer than one word of memory";
    bytes private constant KEY = hex"c0ffee_deadbeef_0102030405";

    bool private named;
    bool private keyed;
    bool public broken;

    function name(string calldata given) external {
        named = keccak256(bytes(given)) == keccak256(bytes(NAME));
    }

    function unlock(uint256 nonce, bytes calldata given) external {
        if (named && nonce != 0) keyed = keccak256(given) == keccak256(KEY);
    }

    function tag(bytes32 given) external {
        if (keyed) broken = keccak256(abi.encode(given)) == keccak256(abi.encode(bytes32("liquidator")));
    }

    function echidna_sound() external view returns (bool) {
        return !broken;
    }
}
