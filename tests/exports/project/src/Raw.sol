// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// Calldata without a function, and what only some senders can do.
contract Raw {
    bool internal constant BUGGY = true;

    uint256 public received;
    uint256 public longest;
    bytes4 public first;
    mapping(address => uint256) public times;
    uint256 public greatest;

    receive() external payable {
        received += msg.value;
    }

    fallback() external payable {
        if (msg.data.length > longest) longest = msg.data.length;
        if (msg.data.length == 5) first = bytes4(msg.data[:4]);
    }

    function visit() external {
        times[msg.sender]++;
        if (times[msg.sender] > greatest) greatest = times[msg.sender];
    }

    function visitOnce() external {
        require(times[msg.sender] == 0);
        times[msg.sender] = 3;
    }

    function echidna_received() external view returns (bool) {
        return !BUGGY || received < 10;
    }

    function echidna_longest() external view returns (bool) {
        return !BUGGY || longest < 7;
    }

    function echidna_first() external view returns (bool) {
        return !BUGGY || uint32(first) < 0x10000000;
    }

    function echidna_greatest() external view returns (bool) {
        return !BUGGY || greatest < 3;
    }

    function echidna_senders() external view returns (bool) {
        return !BUGGY || times[address(0x10000)] == 0 || times[address(0x20000)] == 0 || times[address(0x30000)] == 0;
    }

    function echidna_balances() external view returns (bool) {
        return !BUGGY || address(0x20000).balance != 0xffffffff || address(0x30000).balance != 0xffffffff;
    }

    function echidna_initial() external pure returns (bool) {
        return !BUGGY;
    }

    function echidna_time() external view returns (bool) {
        return !BUGGY || block.timestamp < 1524785992 + 3 days;
    }

    function echidna_blocks() external view returns (bool) {
        return !BUGGY || block.number < 4370000 + 100;
    }
}
