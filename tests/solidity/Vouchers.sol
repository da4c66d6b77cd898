// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice A voucher is one word: series (16 bits), serial number (32), last day (24), value (48).
contract Vouchers {
    mapping(uint256 => uint256) private valueOf;
    uint256 private redeemed;

    constructor() {
        valueOf[7] = 2_500;
        valueOf[12] = 5_000;
    }

    function redeem(uint256 voucher) external {
        uint256 value = valueOf[uint16(voucher)];
        require(value != 0, "no such series");
        uint256 serial = uint32(voucher >> 16);
        require(serial >= 70_000 && serial < 70_400, "not printed");
        uint256 today = block.timestamp / 1 days;
        uint256 day = uint24(voucher >> 48);
        require(day >= today && day < today + 30, "expired");
        require(voucher >> 72 == value, "another value");
        redeemed += value;
    }

    function echidna_nothing_redeemed() external view returns (bool) {
        return redeemed == 0;
    }
}
