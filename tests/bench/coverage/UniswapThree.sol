// SPDX-License-Identifier: Apache-2.0
pragma solidity =0.7.6;

import {BitMath} from "@uniswap/v3-core/contracts/libraries/BitMath.sol";
import {FullMath} from "@uniswap/v3-core/contracts/libraries/FullMath.sol";
import {LiquidityMath} from "@uniswap/v3-core/contracts/libraries/LiquidityMath.sol";
import {Oracle} from "@uniswap/v3-core/contracts/libraries/Oracle.sol";
import {Position} from "@uniswap/v3-core/contracts/libraries/Position.sol";
import {SqrtPriceMath} from "@uniswap/v3-core/contracts/libraries/SqrtPriceMath.sol";
import {SwapMath} from "@uniswap/v3-core/contracts/libraries/SwapMath.sol";
import {Tick} from "@uniswap/v3-core/contracts/libraries/Tick.sol";
import {TickBitmap} from "@uniswap/v3-core/contracts/libraries/TickBitmap.sol";
import {TickMath} from "@uniswap/v3-core/contracts/libraries/TickMath.sol";
import {Suite} from "./Suite.sol";

/// @notice The libraries of Uniswap v3, of which its package has all but the pool.
contract ThreeLibraries {
    using Oracle for Oracle.Observation[65535];
    using Position for mapping(bytes32 => Position.Info);
    using Position for Position.Info;
    using Tick for mapping(int24 => Tick.Info);
    using TickBitmap for mapping(int16 => uint256);

    int24 private constant SPACING = 60;
    Oracle.Observation[65535] private observations;
    mapping(bytes32 => Position.Info) private positions;
    mapping(int24 => Tick.Info) private ticks;
    mapping(int16 => uint256) private bitmap;
    uint16 public index;
    uint16 public cardinality;
    uint16 public next;
    bytes32 public seen;

    constructor() {
        (cardinality, next) = observations.initialize(uint32(block.timestamp));
    }

    function observe(uint32[] calldata ago, int24 tick, uint128 liquidity) external {
        (int56[] memory a, uint160[] memory b) = observations.observe(
            uint32(block.timestamp), ago, tick, index, liquidity, cardinality
        );
        seen = keccak256(abi.encode(a, b));
    }

    function grow(uint8 more) external {
        next = observations.grow(next, next + more);
    }

    function write(int24 tick, uint128 liquidity) external {
        (index, cardinality) = observations.write(
            index, uint32(block.timestamp), tick, liquidity, cardinality, next
        );
    }

    function update(int24 tick, int24 current, int128 delta, uint256 growth, bool upper)
        external
    {
        bool flipped = ticks.update(
            tick,
            current,
            delta,
            growth,
            growth,
            uint160(growth),
            int56(tick),
            uint32(block.timestamp),
            upper,
            Tick.tickSpacingToMaxLiquidityPerTick(SPACING)
        );
        if (flipped) bitmap.flipTick(tick, SPACING);
    }

    function cross(int24 tick, uint256 growth) external {
        ticks.cross(
            tick, growth, growth, uint160(growth), int56(tick), uint32(block.timestamp)
        );
    }

    function clear(int24 tick) external {
        ticks.clear(tick);
    }

    function find(int24 tick, bool down) external {
        (int24 found, bool initialized) =
            bitmap.nextInitializedTickWithinOneWord(tick, SPACING, down);
        seen = keccak256(abi.encode(found, initialized));
    }

    function provide(int24 lower, int24 upper, int24 current, int128 delta) external {
        (uint256 growth0, uint256 growth1) =
            ticks.getFeeGrowthInside(lower, upper, current, 2 ** 128, 2 ** 130);
        positions.get(msg.sender, lower, upper).update(delta, growth0, growth1);
    }

    function price(int24 tick, uint160 root) external {
        seen = keccak256(
            abi.encode(TickMath.getSqrtRatioAtTick(tick), TickMath.getTickAtSqrtRatio(root))
        );
    }

    function divide(uint256 a, uint256 b, uint256 c, bool up) external {
        seen = bytes32(up ? FullMath.mulDivRoundingUp(a, b, c) : FullMath.mulDiv(a, b, c));
    }

    function bits(uint256 word, bool most) external {
        uint8 found =
            most ? BitMath.mostSignificantBit(word) : BitMath.leastSignificantBit(word);
        seen = bytes32(uint256(found));
    }

    function liquidity(uint128 amount, int128 delta) external {
        seen = bytes32(uint256(LiquidityMath.addDelta(amount, delta)));
    }

    function amounts(uint160 a, uint160 b, int128 delta) external {
        int256 amount0 = SqrtPriceMath.getAmount0Delta(a, b, delta);
        int256 amount1 = SqrtPriceMath.getAmount1Delta(a, b, delta);
        seen = keccak256(abi.encode(amount0, amount1));
    }

    function move(uint160 root, uint128 amount, uint256 given, bool zero, bool exactIn)
        external
    {
        seen = bytes32(
            uint256(
                exactIn
                    ? SqrtPriceMath.getNextSqrtPriceFromInput(root, amount, given, zero)
                    : SqrtPriceMath.getNextSqrtPriceFromOutput(root, amount, given, zero)
            )
        );
    }

    function step(uint160 from, uint160 to, uint128 amount, int256 left, uint24 fee)
        external
    {
        (uint160 reached, uint256 paid, uint256 got, uint256 fees) =
            SwapMath.computeSwapStep(from, to, amount, left, fee);
        seen = keccak256(abi.encode(reached, paid, got, fees));
    }
}

contract UniswapThreeTest is Suite {
    ThreeLibraries private libraries;

    function setUp() external {
        libraries = new ThreeLibraries();
        targets.push(address(libraries));
    }

    function invariant_room() external view {
        require(libraries.cardinality() <= libraries.next());
    }
}
