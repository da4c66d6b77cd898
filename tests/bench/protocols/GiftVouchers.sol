// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title GiftVouchers
/// @notice Shops redeem printed vouchers, which they scan as one word:
///
///   bits   0..15  series        bits  16..47  serial number
///   bits  48..71  last day      bits  72..119 value in cents
///   bits 120..127 shop          bits 128..135 check digits
///
/// The shops see the paper, so that a voucher needs no signature; this contract pays the shops and
/// sees to it that no voucher is redeemed twice.
contract GiftVouchers {
    struct Series {
        uint48 value;
        uint32 first;
        uint32 printed;
        bool active;
    }

    uint256 public constant MAX_DAYS = 3_650;
    uint256 public constant MAX_REDEEMED = 64;

    mapping(uint16 => Series) public series;
    mapping(address => uint8) public shopOf;
    mapping(uint256 => bool) public used;
    mapping(uint16 => mapping(uint32 => uint256)) public redeemedValue;
    mapping(uint16 => mapping(uint32 => uint128)) internal firstSeen;
    mapping(address => uint256) public earned;
    uint48[] internal redeemed;

    event Redeemed(uint16 indexed series, uint32 indexed serial, uint256 value, address shop);

    constructor() {
        series[7] = Series(2_500, 1_000, 400, true);
        series[12] = Series(5_000, 20_000, 250, true);
        series[31] = Series(10_000, 1, 90, true);
        series[32] = Series(15_000, 500, 50, false);
        shopOf[address(0x10000)] = 0x11;
        shopOf[address(0x20000)] = 0x22;
        shopOf[address(0x30000)] = 0x33;
    }

    /// @notice The check digits of the fields below them.
    function checkDigits(uint256 fields) public pure returns (uint8) {
        uint256 sum;
        for (uint256 i = 0; i < 16; i++) {
            sum = (sum * 3 + ((fields >> (8 * i)) & 0xff)) % 97;
        }
        return uint8(97 - sum);
    }

    function redeem(uint256 voucher) external {
        require(!used[voucher], "used");
        used[voucher] = true;

        uint16 seriesId = uint16(voucher);
        uint32 serial = uint32(voucher >> 16);
        uint256 lastDay = (voucher >> 48) & 0xffffff;
        uint48 value = uint48(voucher >> 72);
        uint8 shop = uint8(voucher >> 120);
        uint8 digits = uint8(voucher >> 128);

        Series storage printed = series[seriesId];
        require(printed.active, "series");
        require(serial >= printed.first && serial < printed.first + printed.printed, "serial");
        uint256 today = block.timestamp / 1 days;
        require(lastDay >= today && lastDay <= today + MAX_DAYS, "expired");
        require(value == printed.value, "value");
        require(shop != 0 && shop == shopOf[msg.sender], "shop");
        require(digits == checkDigits(voucher & type(uint128).max), "check digits");

        if (redeemedValue[seriesId][serial] == 0) {
            require(redeemed.length < MAX_REDEEMED, "full");
            redeemed.push((uint48(seriesId) << 32) | serial);
        } else {
            // A serial number is printed for one shop and one day only.
            require(firstSeen[seriesId][serial] == uint128(voucher), "forged");
        }
        firstSeen[seriesId][serial] = uint128(voucher);
        redeemedValue[seriesId][serial] += value;
        earned[msg.sender] += value;
        emit Redeemed(seriesId, serial, value, msg.sender);
    }

    /// @notice A shop's earnings are paid elsewhere, in money.
    function settle(uint256 cents) external {
        require(shopOf[msg.sender] != 0, "no shop");
        earned[msg.sender] -= cents;
    }

    function redeemedCount() external view returns (uint256) {
        return redeemed.length;
    }

    /// @notice No voucher pays more than its face value.
    function echidna_ok() public view returns (bool) {
        for (uint256 i = 0; i < redeemed.length; i++) {
            uint16 seriesId = uint16(redeemed[i] >> 32);
            uint32 serial = uint32(redeemed[i]);
            if (redeemedValue[seriesId][serial] > series[seriesId].value) return false;
        }
        return true;
    }
}
