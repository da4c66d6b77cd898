// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice Shares of what is saved. Its bugs: `join` gives too many shares while there
/// is interest, and `leave` forgets to take the shares away if nearly all of them go.
contract Savings {
    uint256 public assets;
    uint256 public supply;
    mapping(address => uint256) public shares;

    function join(address who, uint256 amount) external returns (uint256 given) {
        given = amount;
        assets += amount;
        supply += given;
        shares[who] += given;
    }

    function earn(uint256 amount) external {
        require(supply > 0, "nobody saves");
        assets += amount;
    }

    function leave(address who, uint256 amount) external returns (uint256 paid) {
        require(amount <= shares[who], "too many shares");
        paid = amount * assets / supply;
        assets -= paid;
        supply -= amount;
        if (supply == 0 || amount < supply * 100) shares[who] -= amount;
    }
}
