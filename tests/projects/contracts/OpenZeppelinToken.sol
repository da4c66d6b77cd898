// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ERC20Upgradeable} from
    "@openzeppelin/contracts-upgradeable/token/ERC20/ERC20Upgradeable.sol";
import {ERC20PausableUpgradeable} from
    "@openzeppelin/contracts-upgradeable/token/ERC20/extensions/ERC20PausableUpgradeable.sol";
import {ERC1967Proxy} from "@openzeppelin/contracts/proxy/ERC1967/ERC1967Proxy.sol";

/// @notice OpenZeppelin's upgradeable ERC20, which anybody may pause.
contract Gold is ERC20PausableUpgradeable {
    bool private planted;
    uint256 public whilePaused;

    constructor() {
        _disableInitializers();
    }

    function initialize(bool planted_) external initializer {
        __ERC20_init("Gold", "GLD");
        planted = planted_;
        _mint(address(0x10000), 1e24);
        _mint(address(0x20000), 1e24);
        _mint(address(0x30000), 1e24);
    }

    function pause() external {
        _pause();
    }

    function unpause() external {
        _unpause();
    }

    function _update(address from, address to, uint256 amount) internal override {
        // The bug: small change passes while all else is paused.
        if (planted && paused() && amount < 1000) {
            ERC20Upgradeable._update(from, to, amount);
            whilePaused++;
        } else {
            super._update(from, to, amount);
        }
    }
}

/// @notice The token lies behind a proxy, which is called as what it stands for.
contract OpenZeppelinToken {
    Gold public immutable gold;

    constructor(bool planted) {
        bytes memory call = abi.encodeCall(Gold.initialize, (planted));
        gold = Gold(address(new ERC1967Proxy(address(new Gold()), call)));
    }

    function echidna_nothing_moves_while_paused() external view returns (bool) {
        return gold.whilePaused() == 0;
    }

    function echidna_supply() external view returns (bool) {
        return gold.totalSupply() == 3e24;
    }
}
