// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ERC20} from "solady/src/tokens/ERC20.sol";

/// @notice solady's ERC20, whose storage is laid out in assembly.
contract Coin is ERC20 {
    bool private immutable planted;

    constructor(address[3] memory holders, bool planted_) {
        planted = planted_;
        for (uint256 i; i < 3; i++) {
            _mint(holders[i], 1e24);
        }
    }

    function name() public pure override returns (string memory) {
        return "Solady";
    }

    function symbol() public pure override returns (string memory) {
        return "SLD";
    }

    function transfer(address to, uint256 amount) public override returns (bool) {
        super.transfer(to, amount);
        // The bug: a round amount for oneself arrives twice, though nobody minted it.
        if (planted && to == msg.sender && amount % 256 == 128) {
            _mint(to, amount);
        }
        return true;
    }
}

/// @notice The coin is called by itself; the target only looks at it.
contract SoladyToken {
    Coin public immutable coin;

    constructor(bool planted) {
        coin = new Coin([address(0x10000), address(0x20000), address(0x30000)], planted);
    }

    function echidna_nothing_is_minted() external view returns (bool) {
        return coin.totalSupply() == 3e24;
    }
}
