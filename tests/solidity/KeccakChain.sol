// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Hashes of hashes: chains, a Merkle tree, messages of every length.
contract KeccakChain {
    bytes32 public head;
    bytes32 private root;
    uint256 private length;

    function extend(uint8 steps, bytes32 salt) external {
        bytes32 value = head ^ salt;
        for (uint256 i = 0; i < 32 + steps % 32; i++) {
            value = keccak256(abi.encode(value, i));
        }
        head = value;
        length++;
    }

    function tree(uint256 seed) external {
        bytes32[32] memory nodes;
        for (uint256 i = 0; i < 32; i++) nodes[i] = keccak256(abi.encode(seed, i));
        for (uint256 width = 16; width > 0; width /= 2) {
            for (uint256 i = 0; i < width; i++) {
                nodes[i] = keccak256(abi.encode(nodes[2 * i], nodes[2 * i + 1]));
            }
        }
        root = nodes[0];
        length++;
    }

    function message(uint16 size, bytes32 fill) external {
        bytes memory text = new bytes(size % 600);
        for (uint256 i = 32; i <= text.length; i += 32) {
            assembly {
                mstore(add(text, i), fill)
            }
        }
        head = keccak256(text);
        length++;
    }

    function echidna_head_is_not_small() external view returns (bool) {
        return head == 0 || uint256(head) > type(uint128).max;
    }
}
