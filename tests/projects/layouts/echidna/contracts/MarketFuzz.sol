// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {Market} from "./Market.sol";

contract MarketFuzz {
    Market private immutable market;

    constructor(Market market_) {
        market = market_;
    }

    function echidna_everything_is_paid() external view returns (bool) {
        return market.earned() == market.sold() * market.price();
    }
}
