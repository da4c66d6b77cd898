// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ERC20} from "solmate/src/tokens/ERC20.sol";
import {ERC4626} from "solmate/src/tokens/ERC4626.sol";
import {FixedPointMathLib} from "solmate/src/utils/FixedPointMathLib.sol";

contract Asset is ERC20("Asset", "AST", 18) {
    constructor() {
        _mint(msg.sender, type(uint128).max);
    }
}

contract Vault is ERC4626 {
    using FixedPointMathLib for uint256;

    bool private immutable planted;

    constructor(ERC20 asset_, bool planted_) ERC4626(asset_, "Vault", "VLT") {
        planted = planted_;
    }

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }

    function previewWithdraw(uint256 assets) public view override returns (uint256) {
        // The bug: rounded in favour of whoever withdraws.
        return planted ? convertToShares(assets) : super.previewWithdraw(assets);
    }
}

/// @notice Whoever goes in and out of solmate's vault takes nothing from the others.
contract SolmateVault {
    Asset private immutable asset;
    Vault private immutable vault;

    constructor(bool planted) {
        asset = new Asset();
        vault = new Vault(asset, planted);
        asset.approve(address(vault), type(uint256).max);
        vault.deposit(1e18, address(this));
    }

    function deposit(uint96 assets) external {
        uint256 promised = vault.previewDeposit(assets);
        assert(vault.deposit(assets, address(this)) == promised);
    }

    function mint(uint96 shares) external {
        uint256 before = asset.balanceOf(address(this));
        uint256 asked = vault.mint(shares, address(this));
        assert(before - asset.balanceOf(address(this)) == asked);
    }

    function withdraw(uint96 assets) external {
        (uint256 supply, uint256 total) = (vault.totalSupply(), vault.totalAssets());
        vault.withdraw(assets, address(this), address(this));
        // A share is worth at least what it was.
        assert(vault.totalAssets() * supply >= total * vault.totalSupply());
    }

    function redeem(uint96 shares) external {
        (uint256 supply, uint256 total) = (vault.totalSupply(), vault.totalAssets());
        vault.redeem(shares, address(this), address(this));
        assert(vault.totalAssets() * supply >= total * vault.totalSupply());
    }

    function donate(uint96 assets) external {
        asset.transfer(address(vault), assets);
    }
}
