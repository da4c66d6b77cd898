// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

/// @notice A locker behind magic words and a combination. A fuzzer alone stays outside:
/// of the words, the bytecode has only the hash.
contract Locker {
    /// Ali Baba says "open sesame".
    bytes32 private constant WORDS =
        0x41a3e23ae767d22161edd75f570001163314bba77f5126b4a64a24f5ea176acc;
    uint256 private constant COMBINATION = 417;

    bool public unlocked;
    uint256 public taken;
    uint256 private dialled;

    function say(string calldata words) external {
        if (keccak256(bytes(words)) == WORDS) {
            unlocked = true;
        }
    }

    function turn(uint256 digit) external {
        require(unlocked, "say the words first");
        dialled = (dialled * 10 + (digit % 10)) % 1000;
    }

    function take() external {
        require(unlocked, "say the words first");
        require(dialled == COMBINATION, "another combination");
        taken += 1;
        dialled = 0;
    }

    /// False, and only who has opened the locker can show it.
    function echidna_something_is_left() external view returns (bool) {
        return taken < 2;
    }
}
