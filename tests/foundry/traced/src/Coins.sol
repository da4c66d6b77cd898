// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {SafeERC20, IERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

contract Coin is ERC20, ERC20Permit {
    constructor() ERC20("Coin", "C") ERC20Permit("Coin") {
        _mint(msg.sender, 100 ether);
    }
}

/// Custom errors of OpenZeppelin's token, and a signature that is somebody else's.
contract Coins {
    using SafeERC20 for IERC20;

    Coin internal coin = new Coin();
    uint256 internal lost;

    function spend(uint128 amount, address to) external {
        try coin.transfer(to, amount) returns (bool) {
            lost += amount;
        } catch {}
        try coin.transferFrom(to, address(this), 1) returns (bool) {} catch {}
        try coin.transfer(address(0), 0) returns (bool) {} catch {}
        IERC20(coin).forceApprove(address(0xbeef), amount);
        try coin.permit(to, msg.sender, 1, block.timestamp, 27, "r", "s") {} catch {}
    }

    function echidna_nothing_lost() external view returns (bool) {
        return coin.balanceOf(address(this)) == 100 ether;
    }
}
