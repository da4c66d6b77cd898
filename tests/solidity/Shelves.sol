// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice More small numbers than a campaign can know states: in the first words, in pairs of
/// them, and in a mapping, for two dozen functions that nobody has declared.
contract Shelves {
    uint256[40] private shelves;
    mapping(bytes32 => uint256) private boxes;

    function fill(uint8 seed) external {
        for (uint256 each = 0; each < 16; each++) shelves[each] = (seed * (2 * each + 1) + each) % 33;
        for (uint256 each = 16; each < 40; each++) shelves[each] = (seed * (2 * each + 1) + each) % 200;
    }

    function store(uint8 seed) external {
        for (uint256 each = 1; each <= 24; each++) {
            uint256 number = seed < 128 ? (seed + each) % 33 : (seed * 8 + each * 31) % 1024;
            (bool done,) = address(this).call(abi.encodePacked(uint32(each), number));
            require(done);
        }
    }

    fallback() external {
        boxes[keccak256(msg.data)] = uint256(bytes32(msg.data[4:]));
    }

    function echidna_a_box_is_small() external view returns (bool) {
        return boxes[0] < 1024;
    }
}
