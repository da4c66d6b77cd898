// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

import {EnumerableSet} from "@openzeppelin/contracts/utils/structs/EnumerableSet.sol";
import {Club} from "../Club.sol";

contract ClubFuzz is Club {
    using EnumerableSet for EnumerableSet.AddressSet;

    function echidna_members_add_up() external view returns (bool) {
        return joined - parted == members.length();
    }
}
