"""Contracts for which `init` writes tests: a plain one, and one that asks for much."""

from __future__ import annotations

VAULT = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

contract Vault {
    uint256 public total;

    function add(uint8 amount) external {
        total += amount;
    }
}
"""
DEMANDING = """// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

interface IERC20 {
    function totalSupply() external view returns (uint256);
}

contract Wallet {
    receive() external payable {}
}

type Price is uint256;

contract Vault {
    enum Kind { A, B }
    struct Inner { address payable to; bytes4[] ids; uint256[][2] nested; Kind[2] ks; }
    struct Config { uint8 fee; int24[3] numbers; string[2] texts; Inner inner; }

    uint256 public total;
    IERC20 public token;

    constructor(
        Config memory config,
        IERC20 erc20,
        Wallet wallet,
        Price price,
        address payable[] memory all,
        Config[] memory configs,
        bytes memory data,
        address owner,
        bool open
    ) payable {
        require(config.fee > 0 && config.numbers[0] != 0 && Price.unwrap(price) != 0);
        require(owner != address(0) && open && address(wallet) != address(0));
        token = erc20;
        total = all.length + configs.length + data.length;
    }

    function add(uint8 amount) external {
        total += amount;
    }
}
"""
