// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";

contract Child {
    error Grown(uint256 years_, bytes4 tag);

    uint256 public age;
    address public parent;

    function born(uint256 age_) external payable {
        if (parent != address(0)) revert Grown(age, this.born.selector);
        (age, parent) = (age_, msg.sender);
    }

    receive() external payable {}
}

/// Minimal proxies by CREATE and CREATE2; the second with one salt reverts.
contract CloneNursery {
    Child internal original = new Child();
    Child[] internal children;

    function plain(uint8 age) external payable {
        Child child = Child(payable(Clones.clone(address(original))));
        child.born{value: msg.value}(age);
        try child.born(1) {} catch {}
        children.push(child);
    }

    function salted(bytes32 salt) external {
        Child child = Child(payable(this.deterministic(salt)));
        child.born(2);
        try this.deterministic(salt) returns (address) {} catch {}
        children.push(child);
    }

    function deterministic(bytes32 salt) external returns (address) {
        return Clones.cloneDeterministic(address(original), salt);
    }

    function check() external view {
        assert(children.length < 2 || children[0].age() == children[1].age());
    }
}
