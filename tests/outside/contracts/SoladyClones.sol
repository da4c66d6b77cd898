// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {LibClone} from "solady/src/utils/LibClone.sol";
import {LibSort} from "solady/src/utils/LibSort.sol";
import {LibTransient} from "solady/src/utils/LibTransient.sol";
import {LibZip} from "solady/src/utils/LibZip.sol";
import {RedBlackTreeLib} from "solady/src/utils/RedBlackTreeLib.sol";
import {ReentrancyGuardTransient} from
    "solady/src/utils/ReentrancyGuardTransient.sol";

/// @notice solady's clones (CREATE2), transient storage, and structures in assembly.
contract SoladyClones is ReentrancyGuardTransient {
    using LibTransient for LibTransient.TUint256;
    using RedBlackTreeLib for RedBlackTreeLib.Tree;
    using RedBlackTreeLib for bytes32;

    address private immutable original = address(new Part());
    RedBlackTreeLib.Tree private tree;
    uint256 private cloned;
    uint256 private reentered;
    bool private wrong;

    function _useTransientReentrancyGuardOnlyOnMainnet()
        internal
        pure
        override
        returns (bool)
    {
        return false;
    }

    function clone(uint8 salt, bool end) external nonReentrant {
        bytes32 word = bytes32(uint256(salt % 32));
        address part = LibClone.cloneDeterministic(original, abi.encode(salt), word);
        address promised = LibClone.predictDeterministicAddress(
            original, abi.encode(salt), word, address(this)
        );
        if (part != promised) wrong = true;
        LibTransient.tUint256("clones").inc();
        if (Part(part).call(this) != 1) reentered++;
        if (LibTransient.tUint256("clones").get() != 1) wrong = true;
        if (end) Part(part).end();
        cloned++;
    }

    function guarded() external nonReentrant returns (uint256) {
        return 2;
    }

    function plant(uint256 value) external {
        tree.insert(value % 1_000 + 1);
        if (!tree.exists(value % 1_000 + 1)) wrong = true;
    }

    function fell(uint256 value) external {
        tree.nearest(value % 1_000 + 1).remove();
    }

    function sort(uint256[] memory numbers) external {
        LibSort.sort(numbers);
        if (!LibSort.isSorted(numbers)) wrong = true;
    }

    function zip(bytes calldata data) external {
        bytes memory packed = LibZip.flzCompress(data);
        if (keccak256(LibZip.flzDecompress(packed)) != keccak256(data)) wrong = true;
    }

    function echidna_nothing_is_wrong() external view returns (bool) {
        return !wrong && reentered == 0;
    }

    function echidna_few_clones() external view returns (bool) {
        return cloned < 6;
    }

    function echidna_small_tree() external view returns (bool) {
        return tree.size() < 12;
    }
}

contract Part {
    function call(SoladyClones clones) external returns (uint256) {
        try clones.guarded() returns (uint256 found) {
            return found;
        } catch {
            return 1;
        }
    }

    function end() external {
        selfdestruct(payable(msg.sender));
    }
}
