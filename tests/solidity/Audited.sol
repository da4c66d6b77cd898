// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// An order book that looks at all of its levels after each order.
contract Audited {
    uint256 private constant LEVELS = 40;

    uint256[LEVELS] private levels;
    uint256 private filled;
    bool public matched;

    function order(uint128 price, uint128 amount) external {
        uint256 quoted = uint256(price) + uint256(amount) * 1_000_003 + 777_777;
        if (quoted == 0x5ca1ab1e0ddba11ca11ab1ec0ffee) {
            matched = true;
        } else {
            filled += 1;
        }
        audit();
    }

    function audit() private view {
        for (uint256 i = 0; i < LEVELS; i++) {
            require(levels[i] <= filled, "level");
        }
    }

    function echidna_unmatched() external view returns (bool) {
        return !matched;
    }
}
