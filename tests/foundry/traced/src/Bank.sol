// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

contract Open {
    mapping(address => uint256) public has;

    function deposit() external payable {
        has[msg.sender] += msg.value;
    }

    function withdraw() public virtual {
        (bool paid,) = msg.sender.call{value: has[msg.sender]}("");
        require(paid, "not paid");
        has[msg.sender] = 0;
    }
}

contract Guarded is Open, ReentrancyGuard {
    function withdraw() public override nonReentrant {
        super.withdraw();
    }
}

contract Saver {
    constructor(Open bank) payable {
        bank.deposit{value: msg.value}();
    }
}

/// Re-entrance, into a bank that allows it and one that does not.
contract Bank {
    Open internal open = new Open();
    Guarded internal guarded = new Guarded();
    uint256 internal times;

    constructor() payable {
        new Saver{value: 1 ether}(open);
        new Saver{value: 2 ether}(guarded);
    }

    function rob() external payable {
        times = 2;
        open.deposit{value: 5}();
        guarded.deposit{value: 6}();
        payable(address(open)).call{value: 0.5 ether}("a gift");
        this.from(open);
        times = 1;
        try this.from(guarded) {} catch {}
        times = 9;
    }

    function from(Open bank) external {
        bank.withdraw();
    }

    receive() external payable {
        if (times == 0) return;
        times--;
        Open(msg.sender).withdraw();
    }

    function check() external view {
        assert(times != 9);
    }
}
