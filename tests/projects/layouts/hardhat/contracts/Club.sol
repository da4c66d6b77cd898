// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";

contract Club {
    using EnumerableSet for EnumerableSet.AddressSet;

    EnumerableSet.AddressSet internal members;
    uint256 public joined;
    uint256 public parted;

    function join(address member) external {
        // The bug: who is a member already joins again.
        members.add(member);
        joined++;
    }

    function part(address member) external {
        require(members.remove(member));
        parted++;
    }
}
