// SPDX-License-Identifier: Apache-2.0
pragma solidity =0.5.16;

import "harness/UniswapV2.sol";
import "./Suite.sol";

/// @notice The pair and its factory are called by themselves, too.
contract UniswapTwoTest is Suite {
    UniswapV2 private harness;

    function setUp() external {
        harness = new UniswapV2(false);
        targets.push(address(harness));
        targets.push(address(harness.pair()));
        targets.push(address(harness.factory()));
        targets.push(harness.pair().token0());
        targets.push(harness.pair().token1());
    }

    function invariant_liquidity() external view {
        UniswapV2Pair pair = harness.pair();
        require(pair.totalSupply() >= pair.balanceOf(address(0)));
    }
}
