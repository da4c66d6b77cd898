// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

contract Stock {
    uint256 public items = 100;

    function take(uint256 number) external {
        require(number <= 10 && number <= items);
        items -= number;
    }

    function bring(uint8 number) external {
        items += number;
    }
}

contract Market {
    Stock public immutable stock;
    uint256 public immutable price;
    uint256 public sold;
    uint256 public earned;

    constructor(Stock stock_, uint256 price_) {
        stock = stock_;
        price = price_;
    }

    function buy(uint256 number) external {
        stock.take(number);
        sold += number;
        // The bug: ten cost as much as nine.
        earned += price * (number == 10 ? 9 : number);
    }
}
