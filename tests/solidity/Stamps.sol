// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice A card with a field for each day, which two offices stamp by turns. A field that
/// is stamped twice is void, and so are those beside it.
contract Stamps {
    uint256 private constant FULL = 0xffff;
    uint256 private card;

    function stamp() external {
        uint256 day = (block.timestamp / 1 days) % 16;
        require((uint160(msg.sender) >> 16) % 2 == day % 2, "not your day");
        uint256 field = 1 << day;
        if (card & field == 0) {
            card |= field;
        } else {
            card &= ~(field | field >> 1 | field << 1);
        }
    }

    function echidna_card_is_not_full() external view returns (bool) {
        return card != FULL;
    }
}
