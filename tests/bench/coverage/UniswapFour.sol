// SPDX-License-Identifier: Apache-2.0
pragma solidity =0.8.26;

import {PoolManager} from "@uniswap/v4-core/src/PoolManager.sol";
import {IUnlockCallback} from "@uniswap/v4-core/src/interfaces/callback/IUnlockCallback.sol";
import {IHooks} from "@uniswap/v4-core/src/interfaces/IHooks.sol";
import {BalanceDelta, toBalanceDelta} from "@uniswap/v4-core/src/types/BalanceDelta.sol";
import {Currency} from "@uniswap/v4-core/src/types/Currency.sol";
import {PoolKey} from "@uniswap/v4-core/src/types/PoolKey.sol";
import {ModifyLiquidityParams, SwapParams} from "@uniswap/v4-core/src/types/PoolOperation.sol";
import {ERC20} from "solmate/src/tokens/ERC20.sol";
import {Suite} from "./Suite.sol";

contract Gold is ERC20("Gold", "GLD", 18) {
    constructor() {
        _mint(msg.sender, type(uint128).max);
    }
}

/// @notice A router that leaves ticks, limits and fees to who calls it.
contract Router is IUnlockCallback {
    PoolManager public immutable manager = new PoolManager(address(this));
    PoolKey private key;
    bool private inside;

    constructor() {
        (address a, address b) = (address(new Gold()), address(new Gold()));
        (a, b) = a < b ? (a, b) : (b, a);
        key = PoolKey(Currency.wrap(a), Currency.wrap(b), 3000, 60, IHooks(address(0)));
        manager.initialize(key, 2 ** 96);
        manager.setProtocolFeeController(address(this));
    }

    /// @notice Only what the manager calls back may settle.
    modifier unlocked() {
        require(inside);
        _;
    }

    function open(uint24 fee, int24 spacing, uint160 price) external {
        PoolKey memory other = key;
        (other.fee, other.tickSpacing) = (fee, spacing);
        manager.initialize(other, price);
    }

    function provide(int16 lower, int16 upper, int96 amount, bytes32 salt) external {
        _run(abi.encodeCall(this.modify, (lower, upper, amount, salt)));
    }

    function swap(bool zeroForOne, int96 amount, uint160 limit) external {
        _run(abi.encodeCall(this.exchange, (zeroForOne, amount, limit)));
    }

    function donate(uint64 amount0, uint64 amount1) external {
        _run(abi.encodeCall(this.give, (amount0, amount1)));
    }

    function keep(bool first, uint64 amount, bool out) external {
        _run(abi.encodeCall(this.claim, (first, amount, out)));
    }

    function setFee(uint24 fee) external {
        manager.setProtocolFee(key, fee);
    }

    function collect(bool first, uint128 amount) external {
        Currency currency = first ? key.currency0 : key.currency1;
        manager.collectProtocolFees(msg.sender, currency, amount);
    }

    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        require(msg.sender == address(manager));
        inside = true;
        (bool done, bytes memory answer) = address(this).call(data);
        require(done);
        inside = false;
        BalanceDelta delta = abi.decode(answer, (BalanceDelta));
        _settle(key.currency0, delta.amount0());
        _settle(key.currency1, delta.amount1());
        return "";
    }

    function modify(int16 lower, int16 upper, int256 amount, bytes32 salt)
        external
        unlocked
        returns (BalanceDelta delta)
    {
        (int24 from, int24 to) = (int24(lower) * 60, int24(upper) * 60);
        (delta,) =
            manager.modifyLiquidity(key, ModifyLiquidityParams(from, to, amount, salt), "");
    }

    function exchange(bool zeroForOne, int256 amount, uint160 limit)
        external
        unlocked
        returns (BalanceDelta)
    {
        return manager.swap(key, SwapParams(zeroForOne, amount, limit), "");
    }

    function give(uint256 amount0, uint256 amount1)
        external
        unlocked
        returns (BalanceDelta)
    {
        return manager.donate(key, amount0, amount1, "");
    }

    function claim(bool first, uint64 amount, bool out)
        external
        unlocked
        returns (BalanceDelta)
    {
        Currency currency = first ? key.currency0 : key.currency1;
        if (out) manager.mint(address(this), currency.toId(), amount);
        else manager.burn(address(this), currency.toId(), amount);
        int128 delta = out ? -int128(uint128(amount)) : int128(uint128(amount));
        return first ? toBalanceDelta(delta, 0) : toBalanceDelta(0, delta);
    }

    function covered(bool first) external view returns (bool) {
        Currency currency = first ? key.currency0 : key.currency1;
        uint256 owed = manager.balanceOf(address(this), currency.toId());
        return currency.balanceOf(address(manager)) >= owed;
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

contract UniswapFourTest is Suite {
    Router private router;

    function setUp() external {
        router = new Router();
        targets.push(address(router));
        targets.push(address(router.manager()));
    }

    function invariant_claims_are_covered() external view {
        require(router.covered(true) && router.covered(false));
    }
}
