// SPDX-License-Identifier: Apache-2.0
pragma solidity =0.8.26;

import {PoolManager} from "@uniswap/v4-core/src/PoolManager.sol";
import {IUnlockCallback} from "@uniswap/v4-core/src/interfaces/callback/IUnlockCallback.sol";
import {IHooks} from "@uniswap/v4-core/src/interfaces/IHooks.sol";
import {IPoolManager} from "@uniswap/v4-core/src/interfaces/IPoolManager.sol";
import {StateLibrary} from "@uniswap/v4-core/src/libraries/StateLibrary.sol";
import {TickMath} from "@uniswap/v4-core/src/libraries/TickMath.sol";
import {BalanceDelta} from "@uniswap/v4-core/src/types/BalanceDelta.sol";
import {Currency} from "@uniswap/v4-core/src/types/Currency.sol";
import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";
import {ModifyLiquidityParams, SwapParams} from "@uniswap/v4-core/src/types/PoolOperation.sol";
import {ERC20} from "solmate/src/tokens/ERC20.sol";

contract Coin is ERC20("Coin", "COIN", 18) {
    constructor() {
        _mint(msg.sender, type(uint128).max);
    }
}

/// @notice A router on the PoolManager, which counts in transient storage.
contract UniswapV4 is IUnlockCallback {
    using StateLibrary for IPoolManager;

    bool public constant IS_TEST = true;
    int24 private constant RANGE = 6000;
    PoolManager private immutable manager = new PoolManager(address(this));
    bool private immutable planted;
    PoolKey private key;
    uint256 private liquidity;

    constructor(bool planted_) {
        planted = planted_;
        (address a, address b) = (address(new Coin()), address(new Coin()));
        (a, b) = a < b ? (a, b) : (b, a);
        key = PoolKey(Currency.wrap(a), Currency.wrap(b), 3000, 60, IHooks(address(0)));
        manager.initialize(key, 2 ** 96);
    }

    /// @notice The manager calls back, which a contract without code can't answer yet.
    function setUp() external {
        if (liquidity == 0) provide(1e20);
    }

    function provide(uint72 amount) public {
        require(amount > 0);
        liquidity += amount;
        _run(abi.encodeCall(this.modify, (int256(uint256(amount)))));
    }

    function remove(uint72 amount) external {
        require(amount > 0 && amount < liquidity);
        liquidity -= amount;
        _run(abi.encodeCall(this.modify, (-int256(uint256(amount)))));
    }

    function swap(bool zeroForOne, int72 amount) external {
        require(amount != 0);
        (uint160 before,,,) = IPoolManager(manager).getSlot0(key.toId());
        _run(abi.encodeCall(this.exchange, (zeroForOne, amount)));
        (uint160 price,,,) = IPoolManager(manager).getSlot0(key.toId());
        assert(zeroForOne ? price <= before : price >= before);
    }

    function donate(uint64 amount0, uint64 amount1) external {
        _run(abi.encodeCall(this.give, (amount0, amount1)));
    }

    function check() external view {
        uint256 inPool = IPoolManager(manager).getLiquidity(key.toId());
        (, int24 tick,,) = IPoolManager(manager).getSlot0(key.toId());
        // The bug: a claim that forgets prices outside of the range.
        if (planted) assert(inPool == liquidity);
        if (tick >= -RANGE && tick < RANGE) assert(inPool == liquidity);
        else assert(inPool == 0);
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == address(manager));
        (bool done, bytes memory answer) = address(this).call(data);
        require(done);
        BalanceDelta delta = abi.decode(answer, (BalanceDelta));
        _settle(key.currency0, delta.amount0());
        _settle(key.currency1, delta.amount1());
        return "";
    }

    function modify(int256 amount) external returns (BalanceDelta delta) {
        require(msg.sender == address(this));
        (delta,) = manager.modifyLiquidity(
            key, ModifyLiquidityParams(-RANGE, RANGE, amount, 0), ""
        );
    }

    function exchange(bool zeroForOne, int256 amount) external returns (BalanceDelta) {
        require(msg.sender == address(this));
        uint160 limit =
            zeroForOne ? TickMath.MIN_SQRT_PRICE + 1 : TickMath.MAX_SQRT_PRICE - 1;
        return manager.swap(key, SwapParams(zeroForOne, amount, limit), "");
    }

    function give(uint256 amount0, uint256 amount1) external returns (BalanceDelta) {
        require(msg.sender == address(this));
        return manager.donate(key, amount0, amount1, "");
    }

    function _run(bytes memory call) private {
        manager.unlock(call);
    }

    function _settle(Currency currency, int128 owed) private {
        if (owed > 0) manager.take(currency, address(this), uint128(owed));
        if (owed < 0) {
            manager.sync(currency);
            currency.transfer(address(manager), uint128(-owed));
            manager.settle();
        }
    }
}
