// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

error Outside(uint256 value, uint256 low, uint256 high);

/// @notice Errors of every shape, and immutables of every size.
contract CustomErrors {
    error Plain();
    error Nested(address who, bytes data, string[] words);

    uint256 private immutable limit;
    address private immutable owner;
    bytes32 private immutable tag;
    int8 private immutable sign;
    function(uint256) internal returns (uint256) private immutable action;
    uint256 private accepted;
    uint256 private constant BIAS = 2 ** 200 + 17;

    constructor() {
        limit = block.timestamp % 1000 + 500;
        owner = msg.sender;
        tag = keccak256(abi.encode(address(this), block.chainid));
        sign = -3;
        action = limit > 0 ? accept : refuse;
    }

    modifier inside(uint256 value, uint256 low, uint256 high) {
        if (value < low || value >= high) revert Outside(value, low, high);
        _;
    }

    function plain(uint256 value) external {
        if (value % 2 == 0) revert Plain();
        accepted++;
    }

    function bounded(uint256 value) external inside(value, 10, limit) {
        accepted += action(value);
    }

    function nested(bytes calldata data, string[] calldata words) external {
        if (words.length > 2) revert Nested(msg.sender, data, words);
        require(data.length < 70, Outside(data.length, 0, 70));
        accepted++;
    }

    function onlyOwner(int256 x) external {
        if (msg.sender != owner) revert Outside(uint160(msg.sender), 0, uint160(owner));
        accepted += x * sign > 0 ? 2 : 1;
    }

    function biased(uint256 value) external {
        unchecked {
            if (uint256(tag) + value * BIAS > type(uint256).max / 2) refuse(value);
        }
        accepted++;
    }

    function echidna_few_are_accepted() external view returns (bool) {
        return accepted < 500;
    }

    function echidna_revert_plain() external pure returns (bool) {
        revert Plain();
    }

    function accept(uint256 value) private pure returns (uint256) {
        return value % 7;
    }

    function refuse(uint256 value) private view returns (uint256) {
        revert Outside(value, limit, BIAS);
    }
}
