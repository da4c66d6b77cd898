// SPDX-License-Identifier: Apache-2.0
pragma solidity =0.7.6;

import {SqrtPriceMath} from "@uniswap/v3-core/contracts/libraries/SqrtPriceMath.sol";
import {SwapMath} from "@uniswap/v3-core/contracts/libraries/SwapMath.sol";
import {TickMath} from "@uniswap/v3-core/contracts/libraries/TickMath.sol";

/// @notice Ticks, prices and amounts of Uniswap v3; arithmetic wraps in this version.
contract UniswapV3Math {
    bool private immutable planted;

    constructor(bool planted_) {
        planted = planted_;
    }

    function tickOfPriceOfTick(int24 tick) external view {
        tick = tick % (TickMath.MAX_TICK);
        int24 back = TickMath.getTickAtSqrtRatio(TickMath.getSqrtRatioAtTick(tick));
        // The bug: the inverse is one off high above.
        if (planted && tick > 800000) back++;
        assert(back == tick);
    }

    function priceOfTickOfPrice(uint160 price) external pure {
        uint160 span = TickMath.MAX_SQRT_RATIO - TickMath.MIN_SQRT_RATIO;
        price = TickMath.MIN_SQRT_RATIO + price % span;
        int24 tick = TickMath.getTickAtSqrtRatio(price);
        assert(TickMath.getSqrtRatioAtTick(tick) <= price);
        assert(price < TickMath.getSqrtRatioAtTick(tick + 1));
    }

    function addAndRemove(uint160 price, uint128 liquidity, uint96 amount) external pure {
        require(price > 1e9 && liquidity > 1e9);
        uint160 next =
            SqrtPriceMath.getNextSqrtPriceFromInput(price, liquidity, amount, true);
        assert(next <= price);
        // What the pool asks for is never more than what is given.
        assert(SqrtPriceMath.getAmount0Delta(next, price, liquidity, true) <= amount);
    }

    function step(uint160 from, uint160 to, uint128 liquidity, int96 amount, uint16 fee)
        external
        pure
    {
        require(from > 0 && to > 0);
        (uint160 next, uint256 paid,, uint256 fees) =
            SwapMath.computeSwapStep(from, to, liquidity, amount, fee);
        if (amount >= 0) assert(paid + fees <= uint256(amount));
        assert(from <= to ? from <= next && next <= to : to <= next && next <= from);
    }
}
