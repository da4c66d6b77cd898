// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Weights of a basket add up to the whole, whatever else is asked of them; the fee is by the first.
contract Basket {
    uint256 private constant WHOLE = 10_000;
    bool private set;

    function weigh(uint256 gold, uint256 silver, uint256 copper, uint256 tin) external payable {
        require(gold < WHOLE && silver < WHOLE && copper < WHOLE && tin < WHOLE, "too much");
        require(gold + silver + copper + tin == WHOLE, "not the whole");
        require(msg.value == gold * 1 gwei, "not the fee");
        require(gold % 1_000 == 3, "gold");
        require(silver == 1_234, "silver");
        require(copper * 7 == 3_003, "copper");
        set = true;
    }

    function echidna_not_set() external view returns (bool) {
        return !set;
    }
}
