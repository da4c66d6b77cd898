// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "solady/tokens/ERC20.sol";
import {WETH} from "solady/tokens/WETH.sol";
import {Ownable} from "solady/auth/Ownable.sol";
import {SafeTransferLib} from "solady/utils/SafeTransferLib.sol";

contract Owned is ERC20, Ownable {
    constructor() {
        _initializeOwner(msg.sender);
    }

    function name() public pure override returns (string memory) {
        return "Owned";
    }

    function symbol() public pure override returns (string memory) {
        return "O";
    }

    function mint(address to, uint256 amount) external onlyOwner {
        _mint(to, amount);
    }
}

contract Thief {
    function take(Owned coin) external {
        coin.mint(address(this), 1);
    }
}

/// solady writes its errors and logs in assembly.
contract SoladyCoins {
    Owned internal coin = new Owned();
    WETH internal weth = new WETH();
    Thief internal thief = new Thief();
    uint256 internal spent;

    function wrap() external payable {
        SafeTransferLib.safeTransferETH(address(weth), msg.value);
        try weth.withdraw(msg.value + 1) {} catch {}
        weth.withdraw(msg.value / 2);
    }

    function spend(address to, uint72 amount) external {
        coin.mint(address(this), amount);
        try thief.take(coin) {} catch {}
        try this.safe(address(thief), to) {} catch {}
        SafeTransferLib.safeTransfer(address(coin), to, amount);
        spent += amount;
    }

    function safe(address token, address to) external {
        SafeTransferLib.safeTransfer(token, to, 1);
    }

    function check() external view {
        assert(spent < 1 || weth.balanceOf(address(this)) < 1);
    }

    receive() external payable {}
}
