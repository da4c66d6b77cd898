// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {ReentrancyGuardTransient} from
    "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {TransientSlot} from "@openzeppelin/contracts/utils/TransientSlot.sol";

/// @notice OpenZeppelin's guard and slots in transient storage, with a bank to rob.
contract TransientBank is ReentrancyGuardTransient {
    using TransientSlot for *;

    mapping(address => uint256) private balances;
    uint256 private given;
    Robber private immutable robber = new Robber(this);

    function deposit() external payable {
        balances[msg.sender] += msg.value;
    }

    function withdraw() external nonReentrant {
        pay();
    }

    function withdrawUnguarded() external {
        pay();
    }

    function rob(bool guarded, uint8 times) external payable {
        TransientSlot.Uint256Slot slot = keccak256("depth").asUint256();
        slot.tstore(slot.tload() + 1);
        given += msg.value;
        robber.rob{value: msg.value}(guarded, times % 4);
        assert(slot.tload() == 1);
    }

    function pay() private {
        uint256 value = balances[msg.sender];
        require(value != 0 && address(this).balance >= value, "empty");
        Address.sendValue(payable(msg.sender), value);
        balances[msg.sender] = 0;
    }

    function echidna_robbers_gain_nothing() external view returns (bool) {
        return address(robber).balance <= given;
    }

    function echidna_guard_is_free() external view returns (bool) {
        return !_reentrancyGuardEntered();
    }
}

contract Robber {
    TransientBank private immutable bank;
    uint256 private transient left;
    bool private transient guarded;

    constructor(TransientBank bank_) {
        bank = bank_;
    }

    function rob(bool guarded_, uint8 times) external payable {
        (left, guarded) = (times, guarded_);
        bank.deposit{value: msg.value}();
        again();
    }

    receive() external payable {
        if (left != 0) {
            left--;
            again();
        }
    }

    function again() private {
        if (guarded) {
            try bank.withdraw() {} catch {}
        } else {
            try bank.withdrawUnguarded() {} catch {}
        }
    }
}
