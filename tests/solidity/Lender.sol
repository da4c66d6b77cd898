// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Loans of many markets and users: what is pledged for one of them is nothing to any other.
contract Lender {
    mapping(uint16 => mapping(address => uint256)) private pledged;
    mapping(uint16 => mapping(address => uint256)) private owed;
    mapping(uint16 => uint256) private price;
    bool public lost;

    function list(uint16 market, uint64 first) external {
        require(price[market] == 0 && first != 0);
        price[market] = first;
    }

    function pledge(uint16 market, address who, uint96 amount) external {
        require(price[market] != 0);
        pledged[market][who] += amount;
    }

    function borrow(uint16 market, address who, uint96 amount) external {
        owed[market][who] += amount;
        require(isSound(market, who));
    }

    function reprice(uint16 market, uint64 next) external {
        require(price[market] != 0);
        price[market] = next;
    }

    function liquidate(uint16 market, address who, uint96 amount) external {
        require(amount != 0 && amount <= owed[market][who]);
        require(!isSound(market, who));
        lost = true;
    }

    function isSound(uint16 market, address who) private view returns (bool) {
        return owed[market][who] <= (pledged[market][who] * price[market]) / 1e9;
    }

    function echidna_solvent() external view returns (bool) {
        return !lost;
    }
}
