// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.19;

import {MintableERC20} from "@aave/core-v3/contracts/mocks/tokens/MintableERC20.sol";
import {PriceOracle} from "@aave/core-v3/contracts/mocks/oracle/PriceOracle.sol";
import {IAaveIncentivesController} from
    "@aave/core-v3/contracts/interfaces/IAaveIncentivesController.sol";
import {PoolAddressesProvider} from
    "@aave/core-v3/contracts/protocol/configuration/PoolAddressesProvider.sol";
import {ReserveConfiguration} from
    "@aave/core-v3/contracts/protocol/libraries/configuration/ReserveConfiguration.sol";
import {DataTypes} from
    "@aave/core-v3/contracts/protocol/libraries/types/DataTypes.sol";
import {Pool} from "@aave/core-v3/contracts/protocol/pool/Pool.sol";
import {DefaultReserveInterestRateStrategy} from
    "@aave/core-v3/contracts/protocol/pool/DefaultReserveInterestRateStrategy.sol";
import {AToken} from "@aave/core-v3/contracts/protocol/tokenization/AToken.sol";
import {StableDebtToken} from
    "@aave/core-v3/contracts/protocol/tokenization/StableDebtToken.sol";
import {VariableDebtToken} from
    "@aave/core-v3/contracts/protocol/tokenization/VariableDebtToken.sol";

/// @notice Aave's Pool, of which seven libraries are linked, with one reserve.
contract AavePool {
    using ReserveConfiguration for DataTypes.ReserveConfigurationMap;

    uint256 private constant VARIABLE = 2;
    IAaveIncentivesController private constant NONE = IAaveIncentivesController(address(0));
    Pool private immutable pool;
    AToken private immutable aToken;
    VariableDebtToken private immutable debt;
    MintableERC20 private immutable coin = new MintableERC20("Coin", "COIN", 18);
    bool private immutable planted;

    constructor(bool planted_) {
        planted = planted_;
        PoolAddressesProvider provider = new PoolAddressesProvider("Test", address(this));
        PriceOracle oracle = new PriceOracle();
        oracle.setAssetPrice(address(coin), 1e8);
        provider.setPriceOracle(address(oracle));
        pool = new Pool(provider);
        pool.initialize(provider);
        provider.setAddress("POOL", address(pool));
        provider.setAddress("POOL_CONFIGURATOR", address(this));
        // The tokens ask it who may change their rewards, which nobody does here.
        provider.setACLManager(address(this));
        aToken = new AToken(pool);
        debt = new VariableDebtToken(pool);
        list(provider);
        coin.approve(address(pool), type(uint256).max);
        coin.mint(type(uint128).max);
        pool.supply(address(coin), 1e24, address(this), 0);
    }

    function list(PoolAddressesProvider provider) private {
        StableDebtToken stable = new StableDebtToken(pool);
        aToken.initialize(pool, address(1), address(coin), NONE, 18, "a", "a", "");
        debt.initialize(pool, address(coin), NONE, 18, "v", "v", "");
        stable.initialize(pool, address(coin), NONE, 18, "s", "s", "");
        address strategy = address(
            new DefaultReserveInterestRateStrategy(
                provider, 8e26, 0, 4e25, 75e25, 5e24, 75e25, 1e25, 8e25, 2e26
            )
        );
        pool.initReserve(
            address(coin), address(aToken), address(stable), address(debt), strategy
        );
        DataTypes.ReserveConfigurationMap memory map;
        map.setDecimals(18);
        map.setActive(true);
        map.setBorrowingEnabled(true);
        map.setLtv(7500);
        map.setLiquidationThreshold(8000);
        map.setLiquidationBonus(10500);
        map.setReserveFactor(1000);
        pool.setConfiguration(address(coin), map);
    }

    function supply(uint88 amount) external {
        pool.supply(address(coin), amount, address(this), 0);
        check();
    }

    function withdraw(uint88 amount) external {
        pool.withdraw(address(coin), amount, address(this));
        check();
    }

    function borrow(uint88 amount) external {
        pool.borrow(address(coin), amount, VARIABLE, 0, address(this));
        check();
    }

    function repay(uint88 amount) external {
        pool.repay(address(coin), amount, VARIABLE, address(this));
        check();
    }

    function collateral(bool used) external {
        pool.setUserUseReserveAsCollateral(address(coin), used);
    }

    function check() public view {
        uint256 index = pool.getReserveNormalizedIncome(address(coin));
        assert(pool.getReserveNormalizedVariableDebt(address(coin)) >= index);
        // The bug: a claim that suppliers never earn.
        if (planted) assert(index == 1e27);
        (,,,,, uint256 health) = pool.getUserAccountData(address(this));
        assert(debt.balanceOf(address(this)) > 0 || health == type(uint256).max);
    }
}
