// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice What depends on time, on the block and on earlier blocks.
contract Clock {
    uint256 private immutable born = block.timestamp;
    uint256 private lastBlock = block.number;
    uint256 private lastTime = block.timestamp;
    uint256 private unlockAt;
    uint256 private prizes;
    uint256 private entropy;
    bool private backwards;

    modifier ticking() {
        if (block.timestamp < lastTime || block.number < lastBlock) backwards = true;
        lastTime = block.timestamp;
        lastBlock = block.number;
        _;
    }

    function tick() external ticking {
        entropy ^= uint256(blockhash(block.number - 1));
    }

    function lock(uint32 duration) external ticking {
        unlockAt = block.timestamp + duration % 30 days;
    }

    function claim() external ticking {
        require(unlockAt != 0 && block.timestamp >= unlockAt, "too early");
        require(block.timestamp < unlockAt + 1 days, "too late");
        prizes++;
        unlockAt = 0;
    }

    function lottery(uint8 back) external ticking {
        uint256 number = block.number - uint256(back) * 2;
        bytes32 hash = blockhash(number);
        if (back > 128 && hash != 0) backwards = true;
        entropy ^= uint256(hash) ^ block.prevrandao ^ block.basefee ^ block.gaslimit;
    }

    function echidna_time_goes_forward() external view returns (bool) {
        return !backwards && block.timestamp >= born;
    }

    function echidna_no_prize() external view returns (bool) {
        return prizes == 0;
    }

    function echidna_is_young() external view returns (bool) {
        return lastTime < born + 60 days;
    }
}
