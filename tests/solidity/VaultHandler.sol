// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";

contract Asset is ERC20 {
    constructor() ERC20("Asset", "AST") {
        _mint(msg.sender, 1e30);
    }
}

contract Vault is ERC4626 {
    constructor(ERC20 asset_) ERC20("Vault", "VLT") ERC4626(asset_) {}
}

/// @notice A user of the vault: acts when the handler says so.
contract Actor {
    constructor(Asset asset, Vault vault) {
        asset.approve(address(vault), type(uint256).max);
    }

    function deposit(Vault vault, uint256 assets) external {
        vault.deposit(assets, address(this));
    }

    function mint(Vault vault, uint256 shares) external {
        vault.mint(shares, address(this));
    }

    function withdraw(Vault vault, uint256 assets) external {
        vault.withdraw(assets, address(this), address(this));
    }

    function redeem(Vault vault, uint256 shares) external {
        vault.redeem(shares, address(this), address(this));
    }
}

/// @notice OpenZeppelin's ERC-4626 behind a handler with three users.
contract VaultHandler {
    Asset private immutable asset = new Asset();
    Vault private immutable vault = new Vault(asset);
    Actor[3] private actors;

    constructor() {
        for (uint256 i = 0; i < 3; i++) {
            actors[i] = new Actor(asset, vault);
            asset.transfer(address(actors[i]), 1e24);
        }
    }

    function deposit(uint8 actor, uint256 assets) external {
        Actor user = actors[actor % 3];
        user.deposit(vault, assets % (asset.balanceOf(address(user)) + 1));
    }

    function mint(uint8 actor, uint256 shares) external {
        actors[actor % 3].mint(vault, shares % 1e20);
    }

    function withdraw(uint8 actor, uint256 assets) external {
        Actor user = actors[actor % 3];
        user.withdraw(vault, assets % (vault.maxWithdraw(address(user)) + 1));
    }

    function redeem(uint8 actor, uint256 shares) external {
        Actor user = actors[actor % 3];
        user.redeem(vault, shares % (vault.balanceOf(address(user)) + 1));
    }

    function donate(uint256 assets) external {
        asset.transfer(address(vault), assets % 1e18);
    }

    function echidna_shares_are_covered() external view returns (bool) {
        uint256 owed;
        for (uint256 i = 0; i < 3; i++) {
            owed += vault.maxWithdraw(address(actors[i]));
        }
        return owed <= vault.totalAssets();
    }
}
