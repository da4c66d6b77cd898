// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";

/// @notice Everybody has allowed everything: vaults that do not exist yet, too.
contract Asset is ERC20("Asset", "AST") {
    constructor() {
        _mint(address(0x10000), 1e30);
        _mint(address(0x20000), 1e30);
        _mint(address(0x30000), 1e30);
    }

    function allowance(address, address) public pure override returns (uint256) {
        return type(uint256).max;
    }
}

contract Vault is ERC4626 {
    bool private immutable planted;
    bool public leaky;

    constructor(IERC20 asset_, bool planted_) ERC20("Vault", "VLT") ERC4626(asset_) {
        planted = planted_;
    }

    function _deposit(address from, address to, uint256 assets, uint256 shares)
        internal
        override
    {
        super._deposit(from, to, assets, shares);
        // The bug: the shares of a large deposit are minted twice.
        if (planted && shares > 1000) _mint(to, shares);
        // A deposit is worth what was paid; what is rounded is less than a share.
        leaky = leaky || convertToAssets(shares + 1) + 1 < assets;
    }
}

/// @notice Vaults that sequences create, each of which is called from then on.
contract OpenZeppelinVaults {
    Asset public immutable asset = new Asset();
    Vault[] public vaults;
    bool private immutable planted;

    constructor(bool planted_) {
        planted = planted_;
    }

    function open() external {
        vaults.push(new Vault(asset, planted));
    }

    function echidna_shares_are_covered() external view returns (bool) {
        for (uint256 i; i < vaults.length; i++) {
            if (vaults[i].leaky()) return false;
        }
        return true;
    }
}
