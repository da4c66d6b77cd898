// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ERC20} from "solmate/src/tokens/ERC20.sol";

/// @notice solmate's ERC20 as the target itself; what senders own adds up.
contract SolmateToken is ERC20("Solmate", "SLM", 18) {
    uint256 private constant EACH = 1e24;
    address[3] private senders = [address(0x10000), address(0x20000), address(0x30000)];
    bool private immutable planted;

    constructor(bool planted_) {
        planted = planted_;
        for (uint256 i; i < 3; i++) {
            _mint(senders[i], EACH);
        }
    }

    function burn(uint96 amount) external {
        _burn(msg.sender, amount);
        // The bug: what was burned is paid back, but not counted.
        if (planted && amount > 1e20) balanceOf[msg.sender] += amount;
    }

    function echidna_nobody_owns_more_than_there_is() external view returns (bool) {
        uint256 sum;
        for (uint256 i; i < 3; i++) {
            sum += balanceOf[senders[i]];
        }
        return sum <= totalSupply;
    }
}
