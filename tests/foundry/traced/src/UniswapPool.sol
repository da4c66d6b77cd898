// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Pool} from "v4-core/libraries/Pool.sol";
import {BalanceDelta} from "v4-core/types/BalanceDelta.sol";
import {TickMath} from "v4-core/libraries/TickMath.sol";

/// Uniswap's pool: structs with mappings of structs, user-defined value types.
contract Amm {
    using Pool for Pool.State;

    Pool.State internal pool;

    function initialize(uint160 price, uint24 fee) external returns (int24) {
        return pool.initialize(price, fee);
    }

    function modify(Pool.ModifyLiquidityParams memory params)
        external
        returns (BalanceDelta delta, BalanceDelta fees)
    {
        return pool.modifyLiquidity(params);
    }

    function swap(Pool.SwapParams memory params) external returns (BalanceDelta delta) {
        (delta,,,) = pool.swap(params);
    }
}

contract UniswapPool {
    Amm internal amm = new Amm();
    bool internal swapped;

    function trade(uint64 amount) external {
        try amm.modify(params(1)) returns (BalanceDelta, BalanceDelta) {} catch {}
        amm.initialize(1 << 96, 3000);
        try amm.initialize(1 << 96, 3000) {} catch {}
        try amm.modify(params(-1)) returns (BalanceDelta, BalanceDelta) {} catch {}
        amm.modify(params(1e18));
        amm.swap(
            Pool.SwapParams({
                amountSpecified: -int256(uint256(amount)) - 1,
                tickSpacing: 60,
                zeroForOne: true,
                sqrtPriceLimitX96: TickMath.MIN_SQRT_PRICE + 1,
                lpFeeOverride: 0
            })
        );
        swapped = true;
    }

    function params(int128 liquidity)
        internal
        view
        returns (Pool.ModifyLiquidityParams memory)
    {
        return Pool.ModifyLiquidityParams(address(this), -60, 120, liquidity, 60, "salt");
    }

    function check() external view {
        assert(!swapped);
    }
}
