// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Two receipts, of each of which an event tells the amount, are redeemed together by
/// their sum, which keys a mapping.
contract Receipts {
    mapping(address => uint256) private total;
    mapping(address => uint256) private receipts;
    mapping(uint256 => address) private sums;
    uint256 private serial;
    bool private redeemed;

    event Received(address indexed who, uint256 indexed receipt, uint256 amount);

    function deposit(uint32 amount) external {
        require(amount > 1000 && receipts[msg.sender] < 2, "enough");
        uint256 rest = uint256(keccak256(abi.encode(++serial, msg.sender))) % 1e12;
        uint256 minted = uint256(amount) * 1e12 + rest;
        receipts[msg.sender] += 1;
        total[msg.sender] += minted;
        emit Received(msg.sender, serial, minted);
        if (receipts[msg.sender] == 2) sums[total[msg.sender]] = msg.sender;
    }

    function redeem(uint256 amount) external {
        require(sums[amount] == msg.sender, "not yours");
        redeemed = true;
    }

    function echidna_nothing_is_redeemed() external view returns (bool) {
        return !redeemed;
    }
}
