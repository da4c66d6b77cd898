// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {
    ReentrancyGuardTransient
} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";

/// @notice Pays before it writes down that it has paid.
contract Bank {
    mapping(address => uint256) public balances;

    function deposit() external payable {
        balances[msg.sender] += msg.value;
    }

    function withdraw() external virtual {
        uint256 amount = balances[msg.sender];
        (bool paid,) = msg.sender.call{value: amount}("");
        require(paid, "not paid");
        balances[msg.sender] = 0;
    }
}

contract GuardedBank is Bank, ReentrancyGuardTransient {
    function withdraw() external override nonReentrant {
        uint256 amount = balances[msg.sender];
        (bool paid,) = msg.sender.call{value: amount}("");
        require(paid, "not paid");
        balances[msg.sender] = 0;
    }
}

contract Thief {
    uint256 private rounds;

    function steal(Bank bank, uint256 rounds_) external payable {
        rounds = rounds_;
        bank.deposit{value: msg.value}();
        bank.withdraw();
    }

    receive() external payable {
        if (rounds > 0 && msg.sender.balance >= msg.value) {
            rounds--;
            Bank(msg.sender).withdraw();
        }
    }
}

/// @notice Two banks with the savings of others, and a thief.
contract Reentrancy {
    Bank private immutable bank = new Bank();
    Bank private immutable guarded = new GuardedBank();
    Thief private immutable thief = new Thief();
    uint256 private saved;

    function save() external payable {
        bank.deposit{value: msg.value / 2}();
        guarded.deposit{value: msg.value / 2}();
        saved += msg.value / 2;
    }

    function steal(uint8 rounds) external payable {
        thief.steal{value: msg.value}(bank, rounds % 12);
    }

    function stealGuarded(uint8 rounds) external payable {
        thief.steal{value: msg.value}(guarded, rounds % 3);
    }

    function echidna_guarded_savings_are_there() external view returns (bool) {
        return address(guarded).balance >= saved;
    }

    function echidna_savings_are_there() external view returns (bool) {
        return address(bank).balance >= saved;
    }

    receive() external payable {}
}
