// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice A lock with five dials, each held by the one before. A dial that is turned right
/// executes nothing that a wrong one doesn't execute: only the jump over the body of its `if`
/// is new. What is compared are hashes, so that no comparison gives a dial away.
contract Dials {
    uint256[5] private turned;

    function first(uint64 dial) external {
        uint256 free = 1;
        if (free * place(dial) != 11) free = 0;
        turned[0] |= free;
    }

    function second(uint64 dial) external {
        uint256 free = turned[0];
        if (free * place(dial) != 37) free = 0;
        turned[1] |= free;
    }

    function third(uint64 dial) external {
        uint256 free = turned[1];
        if (free * place(dial) != 42) free = 0;
        turned[2] |= free;
    }

    function fourth(uint64 dial) external {
        uint256 free = turned[2];
        if (free * place(dial) != 20) free = 0;
        turned[3] |= free;
    }

    function fifth(uint64 dial) external {
        uint256 free = turned[3];
        if (free * place(dial) != 63) free = 0;
        turned[4] |= free;
    }

    function echidna_stays_shut() external view returns (bool) {
        return turned[4] == 0;
    }

    function place(uint64 dial) private pure returns (uint256) {
        return uint256(keccak256(abi.encode(dial))) % 64;
    }
}
