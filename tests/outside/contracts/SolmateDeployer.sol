// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Owned} from "solmate/src/auth/Owned.sol";
import {CREATE3} from "solmate/src/utils/CREATE3.sol";
import {SSTORE2} from "solmate/src/utils/SSTORE2.sol";
import {LibString} from "solmate/src/utils/LibString.sol";
import {wadExp, wadLn} from "solmate/src/utils/SignedWadMath.sol";

/// @notice solmate's CREATE3 (CREATE2 and CREATE), SSTORE2 and wad mathematics.
contract SolmateDeployer {
    uint256 private deployed;
    uint256 private ended;
    address private pointer;
    bytes32 private written;
    bool private wrong;

    function deploy(uint8 salt, bool end) external payable {
        bytes32 word = bytes32(uint256(salt % 16));
        bytes memory code =
            abi.encodePacked(type(Heir).creationCode, abi.encode(address(this)));
        address child = CREATE3.deploy(word, code, msg.value);
        if (child != CREATE3.getDeployed(word)) wrong = true;
        deployed++;
        if (end) {
            Heir(child).end();
            ended++;
        }
    }

    function end(uint8 salt) external {
        Heir(CREATE3.getDeployed(bytes32(uint256(salt % 16)))).end();
    }

    function write(bytes calldata data) external {
        pointer = SSTORE2.write(data);
        written = keccak256(data);
    }

    function read() external {
        if (keccak256(SSTORE2.read(pointer)) != written) wrong = true;
    }

    function grow(int256 x) external {
        int256 power = wadExp(x % 100e18);
        if (power > 1e18 && wadLn(power) > 101e18) wrong = true;
        if (bytes(LibString.toString(uint256(power))).length > 78) wrong = true;
    }

    receive() external payable {}

    function echidna_nothing_is_wrong() external view returns (bool) {
        return !wrong;
    }

    function echidna_few_end() external view returns (bool) {
        return ended < 2 || deployed < 5;
    }
}

contract Heir is Owned {
    constructor(address owner) payable Owned(owner) {}

    function end() external onlyOwner {
        selfdestruct(payable(msg.sender));
    }
}
