// SPDX-License-Identifier: Apache-2.0
pragma solidity =0.5.16;

import "@uniswap/v2-core/contracts/UniswapV2Factory.sol";
import "@uniswap/v2-core/contracts/UniswapV2Pair.sol";

/// @notice A token with which everybody may do everything.
contract Coin {
    mapping(address => uint256) public balanceOf;

    function mint(address to, uint96 amount) external {
        balanceOf[to] += amount;
    }

    function transfer(address to, uint256 amount) external returns (bool) {
        require(balanceOf[msg.sender] >= amount);
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
        return true;
    }
}

/// @notice A pair of Uniswap v2, to which liquidity and coins are brought and taken.
contract UniswapV2 {
    UniswapV2Factory public factory;
    UniswapV2Pair public pair;
    Coin private coin0;
    Coin private coin1;
    bool private planted;
    bool private worse;

    constructor(bool planted_) public {
        planted = planted_;
        factory = new UniswapV2Factory(address(this));
        address made = factory.createPair(address(new Coin()), address(new Coin()));
        pair = UniswapV2Pair(made);
        coin0 = Coin(pair.token0());
        coin1 = Coin(pair.token1());
        bring(1e9, 1e9);
    }

    function bring(uint96 amount0, uint96 amount1) public {
        coin0.mint(address(pair), amount0);
        coin1.mint(address(pair), amount1);
        pair.mint(address(this));
    }

    function take(uint8 percent) external {
        pair.transfer(address(pair), pair.balanceOf(address(this)) * (percent % 90) / 100);
        pair.burn(address(this));
    }

    function swap(uint64 paid, bool first) external {
        require(paid > 1000);
        (uint256 before0, uint256 before1,) = pair.getReserves();
        (uint256 from, uint256 to) = first ? (before0, before1) : (before1, before0);
        uint256 fee = uint256(paid) * 997;
        uint256 given = fee * to / (from * 1000 + fee);
        (first ? coin0 : coin1).mint(address(pair), paid);
        pair.swap(first ? 0 : given, first ? given : 0, address(this), "");
        (uint256 after0, uint256 after1,) = pair.getReserves();
        // The bug: the fee is expected in full, though amounts are rounded.
        if (planted) assert(after0 * after1 * 1000 >= before0 * before1 * 1001);
        assert(after0 * after1 >= before0 * before1);
    }

    function list() external {
        factory.createPair(address(new Coin()), address(new Coin()));
    }

    function sync() external {
        pair.sync();
        assert(factory.getPair(address(coin1), address(coin0)) == address(pair));
    }
}
