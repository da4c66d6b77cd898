// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

import {vm} from "@chimera/Hevm.sol";
import {MockERC20} from "./MockERC20.sol";

/// @notice Tokens that the suite has made; one of them is in use.
abstract contract AssetManager {
    MockERC20[] private _assets;
    MockERC20 private _asset;

    function switchAsset(uint256 entropy) public {
        if (_assets.length > 0) _asset = _assets[entropy % _assets.length];
    }

    function _newAsset(uint8 decimals) internal returns (MockERC20) {
        _asset = new MockERC20(decimals);
        _assets.push(_asset);
        return _asset;
    }

    function _getAsset() internal view returns (MockERC20) {
        return _asset;
    }

    /// @dev All get so much of each asset, and let these spend it.
    function _finalizeAssets(
        address[] memory holders,
        address[] memory spenders,
        uint256 amount
    ) internal {
        for (uint256 i; i < _assets.length; ++i) {
            for (uint256 j; j < holders.length; ++j) {
                _assets[i].mint(holders[j], amount);
                for (uint256 k; k < spenders.length; ++k) {
                    vm.prank(holders[j]);
                    _assets[i].approve(spenders[k], type(uint256).max);
                }
            }
        }
    }
}
