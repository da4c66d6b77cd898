// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice A ratchet that opens at tooth 12. Whoever turns it the wrong way loses three
/// teeth, and every tooth asks for another way, which no comparison gives away. All code
/// is covered within a few calls: only the number of teeth tells how far a sequence is.
contract Ratchet {
    uint256 private teeth;
    bool private open;

    function turn(uint8 way) external {
        if (uint256(keccak256(abi.encode(way, teeth))) % 4 == 0) teeth += 1;
        else teeth = teeth > 3 ? teeth - 3 : 0;
    }

    function release() external {
        if (teeth >= 12) open = true;
        else teeth /= 2;
    }

    function echidna_stays_shut() external view returns (bool) {
        return !open;
    }
}
