// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {FullMath} from "v4-core/libraries/FullMath.sol";
import {TickMath} from "v4-core/libraries/TickMath.sol";

/// Functions of Uniswap's libraries that are called, not inlined.
library Prices {
    event Priced(int24 indexed tick, uint160 price);

    struct Book {
        mapping(int24 => uint160) prices;
        int24[] ticks;
    }

    function price(Book storage book, int24 tick) public returns (uint160 found) {
        found = TickMath.getSqrtPriceAtTick(tick);
        book.prices[tick] = found;
        book.ticks.push(tick);
        emit Priced(tick, found);
    }

    function share(uint256 a, uint256 b, uint256 by) public pure returns (uint256) {
        return FullMath.mulDiv(a, b, by);
    }
}

contract Linked {
    using Prices for Prices.Book;

    Prices.Book internal book;

    function note(int16 tick) external returns (uint256) {
        uint160 found = book.price(tick);
        try this.share(found, type(uint256).max, 0) {} catch {}
        try this.price(type(int24).max) {} catch {}
        return Prices.share(found, 3, 2);
    }

    function share(uint256 a, uint256 b, uint256 by) external pure returns (uint256) {
        return Prices.share(a, b, by);
    }

    function price(int24 tick) external {
        book.price(tick);
    }

    function check() external view {
        assert(book.ticks.length < 2);
    }
}
