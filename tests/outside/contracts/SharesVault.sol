// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC4626} from "@openzeppelin/contracts/token/ERC20/extensions/ERC4626.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

contract Asset is ERC20("Asset", "AST") {
    function mint(address to, uint256 value) external {
        _mint(to, value);
    }
}

/// @notice OpenZeppelin's ERC4626: shares whose price a gift changes.
contract SharesVault is ERC4626 {
    constructor() ERC4626(IERC20(address(new Asset()))) ERC20("Vault", "VLT") {}

    function invest(uint64 value) external {
        Asset(asset()).mint(address(this), value);
        this.approve(msg.sender, type(uint256).max);
        _mint(msg.sender, previewDeposit(value));
    }

    function give(uint64 value) external {
        Asset(asset()).mint(address(this), value);
    }

    function leave(uint256 share) external {
        uint256 own = balanceOf(msg.sender);
        if (own != 0) redeem(share % (own + 1), msg.sender, msg.sender);
    }

    function echidna_solvent() external view returns (bool) {
        return convertToAssets(totalSupply()) <= totalAssets();
    }

    function echidna_price_stays() external view returns (bool) {
        return convertToAssets(1e18) <= 3e18;
    }
}
