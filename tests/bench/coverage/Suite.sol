// SPDX-License-Identifier: Apache-2.0
pragma solidity >=0.5.16;

/// @notice What is called, and who calls, said so that every fuzzer understands it.
contract Suite {
    address[] internal targets;

    function targetContracts() public view returns (address[] memory) {
        return targets;
    }

    function targetSenders() public pure returns (address[] memory senders) {
        senders = new address[](3);
        senders[0] = address(0x10000);
        senders[1] = address(0x20000);
        senders[2] = address(0x30000);
    }
}
