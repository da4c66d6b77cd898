// SPDX-License-Identifier: Apache-2.0
pragma solidity =0.8.19;

import {Morpho} from "@morpho-org/morpho-blue/src/Morpho.sol";
import {IMorpho, Id, Market, MarketParams} from
    "@morpho-org/morpho-blue/src/interfaces/IMorpho.sol";
import {MarketParamsLib} from "@morpho-org/morpho-blue/src/libraries/MarketParamsLib.sol";
import {ERC20Mock} from "@morpho-org/morpho-blue/src/mocks/ERC20Mock.sol";
import {IrmMock} from "@morpho-org/morpho-blue/src/mocks/IrmMock.sol";
import {OracleMock} from "@morpho-org/morpho-blue/src/mocks/OracleMock.sol";

/// @notice A market of Morpho Blue with one user, who borrows against collateral.
contract MorphoBlue {
    using MarketParamsLib for MarketParams;

    IMorpho private immutable morpho = IMorpho(address(new Morpho(address(this))));
    ERC20Mock private immutable loan = new ERC20Mock();
    ERC20Mock private immutable collateral = new ERC20Mock();
    OracleMock private immutable oracle = new OracleMock();
    bool private immutable planted;
    MarketParams private params;

    constructor(bool planted_) {
        planted = planted_;
        address irm = address(new IrmMock());
        params = MarketParams(
            address(loan), address(collateral), address(oracle), irm, 0.8 ether
        );
        morpho.enableIrm(irm);
        morpho.enableLltv(0.8 ether);
        morpho.createMarket(params);
        oracle.setPrice(1e36);
        loan.approve(address(morpho), type(uint256).max);
        collateral.approve(address(morpho), type(uint256).max);
        loan.setBalance(address(this), type(uint128).max);
        collateral.setBalance(address(this), type(uint128).max);
    }

    function supply(uint96 assets) external {
        morpho.supply(params, assets, 0, address(this), "");
        check();
    }

    function withdraw(uint96 shares) external {
        morpho.withdraw(params, 0, shares, address(this), address(this));
        check();
    }

    function pledge(uint96 assets) external {
        morpho.supplyCollateral(params, assets, address(this), "");
    }

    function release(uint96 assets) external {
        morpho.withdrawCollateral(params, assets, address(this), address(this));
    }

    function borrow(uint96 assets) external {
        morpho.borrow(params, assets, 0, address(this), address(this));
        check();
    }

    function repay(uint96 shares) external {
        morpho.repay(params, 0, shares, address(this), "");
        check();
    }

    function reprice(uint16 percent) external {
        oracle.setPrice(1e34 * uint256(percent));
    }

    function liquidate(uint96 seized) external {
        morpho.liquidate(params, address(this), seized, 0, "");
        check();
    }

    function accrue() external {
        Market memory market = morpho.market(params.id());
        morpho.accrueInterest(params);
        // The bug: a claim that time costs nothing.
        if (planted) {
            assert(
                morpho.market(params.id()).totalBorrowAssets == market.totalBorrowAssets
            );
        }
        assert(morpho.market(params.id()).lastUpdate == block.timestamp);
    }

    function check() public view {
        Market memory market = morpho.market(params.id());
        assert(market.totalBorrowAssets <= market.totalSupplyAssets);
        assert(
            loan.balanceOf(address(morpho))
                >= market.totalSupplyAssets - market.totalBorrowAssets
        );
    }
}
