// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// Orders that arrive encoded.
contract Envelope {
    bool public broken;

    function execute(bytes calldata payload) external {
        (uint8 kind, address to, uint256 amount, uint256 fee) =
            abi.decode(payload, (uint8, address, uint256, uint256));
        if (kind == 3 && to == msg.sender && amount % 77 == 5 && amount > 1 ether) {
            if (fee == amount - 7) broken = true;
        }
    }

    function echidna_sound() external view returns (bool) {
        return !broken;
    }
}
