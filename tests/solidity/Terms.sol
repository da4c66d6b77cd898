// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice A membership that must be renewed each week, in books that pack week and length.
/// From three terms on no comparison tells how many it has.
contract Terms {
    bytes32 private constant NINTH = keccak256(abi.encode(uint256(9)));

    mapping(address => uint256) private books;
    bool private honoured;

    function renew() external {
        uint256 week = block.timestamp / 1 weeks;
        uint256 book = books[msg.sender];
        require(week != book >> 64, "renewed");
        uint256 length = week == (book >> 64) + 1 ? (book & 0xffff) + 1 : 0;
        books[msg.sender] = (week << 64) | length;
    }

    function honour() external {
        uint256 length = books[msg.sender] & 0xffff;
        require(length >= 3, "too short");
        if (keccak256(abi.encode(length)) == NINTH) honoured = true;
    }

    function echidna_nobody_is_honoured() external view returns (bool) {
        return !honoured;
    }
}
