// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;

interface IHevm {
    function addr(uint256 key) external returns (address);
    function assume(bool holds) external;
    function deal(address who, uint256 balance) external;
    function label(address who, string calldata name) external;
    function prank(address sender) external;
    function roll(uint256 number) external;
    function sign(uint256 key, bytes32 digest)
        external
        returns (uint8 v, bytes32 r, bytes32 s);
    function startPrank(address sender) external;
    function stopPrank() external;
    function warp(uint256 timestamp) external;
}

IHevm constant vm = IHevm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
