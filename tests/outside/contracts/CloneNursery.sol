// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {Create2} from "@openzeppelin/contracts/utils/Create2.sol";

/// @notice OpenZeppelin's Clones and Create2; children end and are made again.
contract CloneNursery {
    address private immutable original = address(new Child());
    uint256 private born;
    uint256 private ended;
    bool private wrong;

    function clone(uint8 salt) external {
        address child = Clones.cloneDeterministic(original, bytes32(uint256(salt % 8)));
        Child(payable(child)).initialize(salt);
        if (child != at(salt) || Child(payable(child)).number() != salt) wrong = true;
        born++;
    }

    function make(uint8 salt, bool end) external payable {
        bytes memory code = abi.encodePacked(type(Child).creationCode);
        address child = Create2.deploy(msg.value, bytes32(uint256(salt % 8)), code);
        bytes32 hash = keccak256(code);
        address promised = Create2.computeAddress(bytes32(uint256(salt % 8)), hash);
        if (child != promised) wrong = true;
        if (end) {
            // Made in this transaction: it is gone afterwards (EIP-6780).
            Child(payable(child)).end(payable(address(this)));
            ended++;
        }
        born++;
    }

    function end(uint8 salt) external {
        if (at(salt).code.length == 0) revert("none");
        Child(payable(at(salt))).end(payable(msg.sender));
    }

    receive() external payable {}

    function at(uint8 salt) private view returns (address) {
        return Clones.predictDeterministicAddress(original, bytes32(uint256(salt % 8)));
    }

    function echidna_addresses_are_known() external view returns (bool) {
        return !wrong;
    }

    function echidna_few_end() external view returns (bool) {
        return ended < 3 || born < 6;
    }
}

contract Child is Initializable {
    uint256 public number;

    constructor() payable {}

    function initialize(uint256 number_) external initializer {
        number = number_;
    }

    function end(address payable heir) external {
        selfdestruct(heir);
    }

    receive() external payable {}
}
