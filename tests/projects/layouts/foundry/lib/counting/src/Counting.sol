// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

library Counting {
    struct Count {
        uint256 up;
        uint256 down;
    }

    function value(Count storage count) internal view returns (uint256) {
        return count.up - count.down;
    }
}
