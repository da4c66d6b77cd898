// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Each account has a wheel with two pawls. Who presses the wrong one, or with the
/// wrong force, lets the wheel fall back to half its height. Which one and how hard the hash of
/// the tooth says, so no comparison tells how far a wheel is; and that stands in a mapping.
contract Pawls {
    mapping(address => uint256) private teeth;
    bool private open;

    function left(uint8 force) external {
        press(0, force);
    }

    function right(uint8 force) external {
        press(1, force);
    }

    function release() external {
        // Until then the bit is not shifted out, and the number is no operand.
        if (uint16(1) << (teeth[msg.sender] + 2) == 0) open = true;
        else teeth[msg.sender] /= 2;
    }

    function press(uint256 pawl, uint8 force) private {
        uint256 tooth = teeth[msg.sender];
        uint256 wanted = uint256(keccak256(abi.encode(tooth)));
        // One way of eight is right; without a jump or a comparison.
        uint256 wrong = ((wanted % 2) ^ pawl) | (((wanted >> 8) ^ force) % 4);
        unchecked {
            uint256 drops = (wrong + 3) / 4;
            teeth[msg.sender] = (tooth + 1) * (1 - drops) + (tooth / 2) * drops;
        }
    }

    function echidna_stays_shut() external view returns (bool) {
        return !open;
    }
}
