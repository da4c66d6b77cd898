// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ERC20} from "solmate/src/tokens/ERC20.sol";
import {ERC4626} from "solmate/src/tokens/ERC4626.sol";
import {FixedPointMathLib} from "solmate/src/utils/FixedPointMathLib.sol";

contract Coin is ERC20("Coin", "CN", 18) {
    function mint(address to, uint256 value) external {
        _mint(to, value);
    }
}

/// @notice solmate's ERC20 with permit (ecrecover), and its ERC4626 on top.
contract SolmateToken is ERC4626 {
    uint256 private refused;
    uint256 private recovered;

    constructor() ERC4626(new Coin(), "Vault", "VLT") {
        Coin(address(asset)).mint(address(0x10000), 1_000_000);
    }

    function totalAssets() public view override returns (uint256) {
        return asset.balanceOf(address(this));
    }

    function permitAs(address owner, uint256 value, bool odd, bytes32 r, bytes32 s)
        external
    {
        uint8 v = odd ? 28 : 27;
        try asset.permit(owner, msg.sender, value, type(uint256).max, v, r, s) {
            recovered++;
        } catch {
            refused++;
        }
    }

    function recover(bytes32 hash, bool odd, bytes32 r, bytes32 s) external {
        if (ecrecover(hash, odd ? 28 : 27, r, s) != address(0)) recovered++;
    }

    function give(uint128 value) external {
        Coin(address(asset)).mint(address(this), value);
        if (totalSupply == 0) _mint(msg.sender, FixedPointMathLib.sqrt(value));
    }

    function leave(uint256 shares) external {
        shares %= balanceOf[msg.sender] + 1;
        this.previewRedeem(shares);
        redeem(shares, msg.sender, msg.sender);
    }

    function echidna_recovers_few() external view returns (bool) {
        return recovered < 2;
    }

    function echidna_solvent() external view returns (bool) {
        return totalSupply == 0 || convertToAssets(totalSupply) <= totalAssets();
    }
}
