// SPDX-License-Identifier: Apache-2.0
pragma solidity =0.8.19;

import {Morpho as Blue} from "@morpho-org/morpho-blue/src/Morpho.sol";
import {
    IMorpho,
    Id,
    Market,
    MarketParams
} from "@morpho-org/morpho-blue/src/interfaces/IMorpho.sol";
import {MarketParamsLib} from "@morpho-org/morpho-blue/src/libraries/MarketParamsLib.sol";
import {ERC20Mock} from "@morpho-org/morpho-blue/src/mocks/ERC20Mock.sol";
import {IrmMock} from "@morpho-org/morpho-blue/src/mocks/IrmMock.sol";
import {OracleMock} from "@morpho-org/morpho-blue/src/mocks/OracleMock.sol";
import {Suite} from "./Suite.sol";

/// @notice Two markets, one without interest, for itself and whoever authorizes it.
contract Markets {
    using MarketParamsLib for MarketParams;

    IMorpho public immutable morpho = IMorpho(address(new Blue(address(this))));
    ERC20Mock private immutable loan = new ERC20Mock();
    ERC20Mock private immutable pledged = new ERC20Mock();
    OracleMock private immutable oracle = new OracleMock();
    MarketParams[2] private markets;

    constructor() {
        address irm = address(new IrmMock());
        morpho.enableIrm(irm);
        morpho.enableIrm(address(0));
        morpho.enableLltv(0.8 ether);
        for (uint256 i; i < 2; i++) {
            markets[i] = MarketParams(
                address(loan),
                address(pledged),
                address(oracle),
                i == 0 ? irm : address(0),
                0.8 ether
            );
            morpho.createMarket(markets[i]);
        }
        oracle.setPrice(1e36);
        loan.approve(address(morpho), type(uint256).max);
        pledged.approve(address(morpho), type(uint256).max);
        loan.setBalance(address(this), type(uint128).max);
        pledged.setBalance(address(this), type(uint128).max);
    }

    function supply(bool m, uint128 assets, uint128 shares, address who, bytes calldata data)
        external
    {
        morpho.supply(_market(m), assets, shares, who, data);
    }

    function withdraw(bool m, uint128 assets, uint128 shares, address who) external {
        morpho.withdraw(_market(m), assets, shares, who, address(this));
    }

    function borrow(bool m, uint128 assets, uint128 shares, address who) external {
        morpho.borrow(_market(m), assets, shares, who, address(this));
    }

    function repay(bool m, uint128 assets, uint128 shares, address who, bytes calldata data)
        external
    {
        morpho.repay(_market(m), assets, shares, who, data);
    }

    function pledge(bool m, uint128 assets, address who, bytes calldata data) external {
        morpho.supplyCollateral(_market(m), assets, who, data);
    }

    function release(bool m, uint128 assets, address who) external {
        morpho.withdrawCollateral(_market(m), assets, who, address(this));
    }

    function liquidate(bool m, address who, uint128 seized, uint128 shares) external {
        morpho.liquidate(_market(m), who, seized, shares, "");
    }

    function flash(uint128 assets, bytes calldata data) external {
        morpho.flashLoan(address(loan), assets, data);
    }

    function reprice(uint128 price) external {
        oracle.setPrice(price);
    }

    function setFee(bool m, uint64 fee) external {
        morpho.setFee(_market(m), fee);
    }

    function setFeeRecipient(address to) external {
        morpho.setFeeRecipient(to);
    }

    function enableLltv(uint64 lltv) external {
        morpho.enableLltv(lltv);
    }

    function create(uint64 lltv) external {
        MarketParams memory other = markets[0];
        other.lltv = lltv;
        morpho.createMarket(other);
    }

    function accrue(bool m) external {
        morpho.accrueInterest(_market(m));
    }

    function onMorphoSupply(uint256, bytes calldata) external {}

    function onMorphoRepay(uint256, bytes calldata) external {}

    function onMorphoSupplyCollateral(uint256, bytes calldata) external {}

    function onMorphoFlashLoan(uint256, bytes calldata) external {}

    function covered() external view returns (bool) {
        for (uint256 i; i < 2; i++) {
            Market memory market = morpho.market(markets[i].id());
            if (market.totalBorrowAssets > market.totalSupplyAssets) return false;
        }
        return true;
    }

    function _market(bool second) private view returns (MarketParams memory) {
        return markets[second ? 1 : 0];
    }
}

contract MorphoTest is Suite {
    Markets private markets;

    function setUp() external {
        markets = new Markets();
        targets.push(address(markets));
        targets.push(address(markets.morpho()));
    }

    function invariant_loans_are_covered() external view {
        require(markets.covered());
    }
}
