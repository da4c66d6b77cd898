// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice Calls a precompile many times.
contract PrecompileLoop {
    function run(address target, uint256 times, bytes calldata input) external {
        bytes memory data = input;
        uint256 sum;
        for (uint256 i = 0; i < times; i++) {
            (bool done, bytes memory output) = target.staticcall(data);
            require(done);
            sum += output.length;
        }
        require(sum > 0);
    }
}
