// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {TimelockController} from "@openzeppelin/contracts/governance/TimelockController.sol";

contract Treasury {
    address public immutable owner;

    constructor(address owner_) payable {
        owner = owner_;
    }

    function pay(address payable to, uint256 amount) external {
        require(msg.sender == owner, "Treasury: not the owner");
        to.transfer(amount);
    }
}

/// OpenZeppelin's timelock, whose calls have to wait.
contract Governed {
    TimelockController internal lock;
    Treasury internal treasury;
    bool internal paid;

    constructor() payable {
        address[] memory everybody = new address[](1);
        address[] memory proposers = new address[](1);
        proposers[0] = address(this);
        lock = new TimelockController(1 days, proposers, everybody, address(0));
        treasury = new Treasury{value: 1 ether}(address(lock));
    }

    function propose() external {
        try treasury.pay(payable(msg.sender), 1) {} catch {}
        lock.schedule(address(treasury), 0, data(), 0, "salt", 1 days);
        try this.execute() {} catch {}
    }

    function execute() external {
        lock.execute(address(treasury), 0, data(), 0, "salt");
        paid = true;
    }

    function data() internal view returns (bytes memory) {
        return abi.encodeCall(Treasury.pay, (payable(address(this)), 0.1 ether));
    }

    receive() external payable {}

    function echidna_not_paid() external view returns (bool) {
        return !paid;
    }
}
