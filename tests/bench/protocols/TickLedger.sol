// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title TickLedger
/// @notice Concentrated liquidity: what is provided between two ticks, and a bitmap by which the
/// swap loop finds the next tick at which liquidity changes.
contract TickLedger {
    struct Tick {
        uint128 gross;
        int128 net;
        bool seen;
    }

    int24 public constant SPACING = 60;
    int24 public constant MAX_TICK = 887_220;
    uint128 public constant MIN_LIQUIDITY = 1e9;
    uint128 public constant MAX_PER_TICK = 1e30;
    uint256 public constant MAX_TICKS = 80;

    mapping(int24 => Tick) public ticks;
    mapping(int16 => uint256) public bitmap;
    mapping(bytes32 => uint128) public positions;
    int24[] public seenTicks;
    int24 public currentTick;
    uint128 public activeLiquidity;

    event Minted(address indexed owner, int24 lower, int24 upper, uint128 liquidity);
    event Burned(address indexed owner, int24 lower, int24 upper, uint128 liquidity);

    constructor() {
        currentTick = 30;
    }

    function mint(int24 lower, int24 upper, uint128 liquidity) external {
        _checkRange(lower, upper);
        require(liquidity >= MIN_LIQUIDITY && liquidity <= MAX_PER_TICK, "liquidity");
        positions[positionKey(msg.sender, lower, upper)] += liquidity;
        _updateTick(lower, int128(liquidity), false);
        _updateTick(upper, int128(liquidity), true);
        if (currentTick >= lower && currentTick < upper) activeLiquidity += liquidity;
        emit Minted(msg.sender, lower, upper, liquidity);
    }

    function burn(int24 lower, int24 upper, uint128 liquidity) external {
        _checkRange(lower, upper);
        require(liquidity > 0 && liquidity <= MAX_PER_TICK, "liquidity");
        positions[positionKey(msg.sender, lower, upper)] -= liquidity;
        _updateTick(lower, -int128(liquidity), false);
        _updateTick(upper, -int128(liquidity), true);
        if (currentTick >= lower && currentTick < upper) activeLiquidity -= liquidity;
        emit Burned(msg.sender, lower, upper, liquidity);
    }

    function positionKey(address owner, int24 lower, int24 upper) public pure returns (bytes32) {
        return keccak256(abi.encode(owner, lower, upper));
    }

    /// @notice The word of the bitmap, and the bit in it, that stand for a tick.
    function bitOf(int24 tick) public pure returns (int16 word, uint8 bit) {
        int24 compressed = tick / SPACING;
        word = int16(compressed / 256);
        bit = uint8(uint24(compressed) & 0xff);
    }

    function isInitialized(int24 tick) public view returns (bool) {
        (int16 word, uint8 bit) = bitOf(tick);
        return bitmap[word] & (1 << bit) != 0;
    }

    /// @notice Ticks with liquidity are found by the swap loop, and no others.
    function echidna_ok() public view returns (bool) {
        for (uint256 i = 0; i < seenTicks.length; i++) {
            int24 tick = seenTicks[i];
            if (ticks[tick].gross > 0 && !isInitialized(tick)) return false;
        }
        return true;
    }

    function _checkRange(int24 lower, int24 upper) internal pure {
        require(lower < upper, "range");
        require(lower >= -MAX_TICK && upper <= MAX_TICK, "bounds");
        require(lower % SPACING == 0 && upper % SPACING == 0, "spacing");
    }

    function _updateTick(int24 tick, int128 delta, bool isUpper) internal {
        Tick storage info = ticks[tick];
        if (!info.seen) {
            require(seenTicks.length < MAX_TICKS, "ticks");
            info.seen = true;
            seenTicks.push(tick);
        }
        uint128 before = info.gross;
        uint128 afterwards = delta < 0 ? before - uint128(-delta) : before + uint128(delta);
        require(afterwards <= MAX_PER_TICK, "too much");
        info.gross = afterwards;
        info.net = isUpper ? info.net - delta : info.net + delta;
        if ((before == 0) != (afterwards == 0)) _flip(tick);
    }

    function _flip(int24 tick) internal {
        (int16 word, uint8 bit) = bitOf(tick);
        bitmap[word] ^= 1 << bit;
    }
}
