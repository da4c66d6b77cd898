// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @title Handles
/// @notice Handles of users stand under the hash of group and name, one behind the other (SWC-133).
contract Handles {
    mapping(bytes32 => bytes32) public groupOf;
    bytes32[] public keys;
    bytes32[] public groups;

    function register(string calldata group, string calldata name) external {
        require(bytes(group).length > 1 && bytes(name).length > 1, "short");
        require(bytes(group).length < 32 && bytes(name).length < 32, "long");
        bytes32 hash = keccak256(bytes(group));
        bytes32 key = keccak256(abi.encodePacked(group, name));
        groupOf[key] = hash;
        keys.push(key);
        groups.push(hash);
    }

    /// @notice What was registered is of the group that registered it.
    function echidna_groups() external view returns (bool) {
        for (uint256 i = 0; i < keys.length && i < 32; i++) {
            if (groupOf[keys[i]] != groups[i]) return false;
        }
        return true;
    }
}
