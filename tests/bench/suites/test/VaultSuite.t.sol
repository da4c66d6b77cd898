// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Test} from "forge-std/Test.sol";

contract Asset is ERC20("Asset", "A") {
    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

contract Vault is ERC4626 {
    constructor(Asset asset_) ERC20("Vault", "V") ERC4626(asset_) {}
}

contract VaultHandler is Test {
    Asset public immutable asset;
    Vault public immutable vault;
    address[] public actors;
    uint256 public inside;

    constructor(Asset asset_, Vault vault_) {
        (asset, vault) = (asset_, vault_);
        for (uint160 i = 1; i <= 3; ++i) {
            address actor = address(0xA0000 + i);
            actors.push(actor);
            vm.prank(actor);
            asset.approve(address(vault), type(uint256).max);
        }
    }

    function deposit(uint256 actor, uint256 assets) external {
        address who = _actor(actor);
        assets = bound(assets, 0, 1e24);
        asset.mint(who, assets);
        vm.prank(who);
        uint256 shares = vault.deposit(assets, who);
        vm.assertLe(vault.previewRedeem(shares), assets);
        inside += assets;
    }

    function mint(uint256 actor, uint256 shares) external {
        address who = _actor(actor);
        shares = bound(shares, 0, 1e24);
        asset.mint(who, vault.previewMint(shares));
        vm.prank(who);
        inside += vault.mint(shares, who);
    }

    function withdraw(uint256 actor, uint256 assets) external {
        address who = _actor(actor);
        assets = bound(assets, 0, vault.maxWithdraw(who));
        vm.prank(who);
        vault.withdraw(assets, who, who);
        inside -= assets;
    }

    function redeem(uint256 actor, uint256 shares) external {
        address who = _actor(actor);
        shares = bound(shares, 0, vault.maxRedeem(who));
        vm.prank(who);
        inside -= vault.redeem(shares, who, who);
    }

    function give(uint256 assets) external {
        assets = bound(assets, 0, 1e20);
        asset.mint(address(vault), assets);
        inside += assets;
    }

    function count() external view returns (uint256) {
        return actors.length;
    }

    function _actor(uint256 seed) private view returns (address) {
        return actors[seed % actors.length];
    }
}

contract VaultInvariants is Test {
    Vault internal vault;
    VaultHandler internal handler;

    function setUp() public {
        Asset asset = new Asset();
        vault = new Vault(asset);
        handler = new VaultHandler(asset, vault);
        targetContract(address(handler));
    }

    function invariant_all_assets_are_known() public view {
        assertEq(vault.totalAssets(), handler.inside());
    }

    function invariant_shares_are_backed() public view {
        uint256 claims;
        for (uint256 i; i < handler.count(); ++i) {
            claims += vault.previewRedeem(vault.balanceOf(handler.actors(i)));
        }
        assertLe(claims, vault.totalAssets());
    }
}
