// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "solmate/tokens/ERC20.sol";
import {ERC4626} from "solmate/mixins/ERC4626.sol";

contract Gold is ERC20("Gold", "G", 18) {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

contract Vault is ERC4626 {
    constructor(ERC20 gold) ERC4626(gold, "Vault", "V") {}

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }
}

/// solmate's ERC-4626: who is first makes shares dear.
contract Shares {
    Gold internal gold = new Gold();
    Vault internal vault = new Vault(gold);

    constructor() {
        gold.mint(address(this), 1e24);
        gold.approve(address(vault), type(uint256).max);
    }

    function deposit(uint96 amount) external returns (uint256) {
        try vault.deposit(0, address(this)) returns (uint256) {} catch {}
        return vault.deposit(amount, address(this));
    }

    function give(uint96 amount) external {
        gold.transfer(address(vault), amount);
    }

    function check() external {
        if (vault.totalSupply() == 0) return;
        try vault.redeem(vault.totalSupply() + 1, address(this), address(this)) returns (
            uint256
        ) {} catch {}
        assert(vault.convertToAssets(1) < 2);
    }
}
