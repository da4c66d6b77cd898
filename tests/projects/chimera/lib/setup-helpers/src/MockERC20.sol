// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

import {ERC20} from "solmate/src/tokens/ERC20.sol";

contract MockERC20 is ERC20 {
    constructor(uint8 decimals_) ERC20("Mock", "MOCK", decimals_) {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}
