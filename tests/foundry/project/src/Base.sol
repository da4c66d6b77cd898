// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Vm} from "./Vm.sol";

/// What all tests use. Nothing here but `refused` needs a cheatcode.
abstract contract Base {
    Vm internal constant vm = Vm(0x7109709ECfa91a80626fF3989D68f67F5b1DD12D);
    address internal constant CONSOLE = 0x000000000000000000636F6e736F6c652e6c6f67;

    address internal alice = address(0xA11CE);
    address internal bob = address(0xB0B);

    function check(bool fact, string memory what) internal pure {
        require(fact, what);
    }

    function same(bytes memory one, bytes memory two) internal pure returns (bool) {
        return keccak256(one) == keccak256(two);
    }

    function same(string memory one, string memory two) internal pure returns (bool) {
        return keccak256(bytes(one)) == keccak256(bytes(two));
    }

    /// Fails with the text that is there, if it is not the one that should be.
    function checkText(string memory found, string memory expected) internal pure {
        if (!same(found, expected)) revert(string.concat("found: ", found));
    }

    function checkUint(uint256 found, uint256 expected) internal pure {
        if (found != expected) revert(string.concat("found: ", decimal(found)));
    }

    function checkAddress(address found, address expected) internal pure {
        if (found != expected) revert(string.concat("found: ", hexadecimal(abi.encodePacked(found))));
    }

    /// Fails unless the data is what the error says.
    function checkError(bytes memory data, string memory signature, string memory message) internal pure {
        bytes memory expected = abi.encodeWithSignature(string.concat(signature, "(string)"), message);
        if (!same(data, expected)) revert(string.concat("found: ", readable(data)));
    }

    /// A cheatcode must be refused with these words.
    function refused(bytes memory cheat, string memory message) internal {
        (bool done, bytes memory data) = address(vm).call(cheat);
        check(!done, "the cheatcode was not refused");
        checkError(data, "CheatcodeError", message);
    }

    function readable(bytes memory data) internal pure returns (string memory) {
        if (data.length < 68) return hexadecimal(data);
        bytes4 selector = bytes4(data);
        bytes memory rest = new bytes(data.length - 4);
        for (uint256 i; i < rest.length; i++) {
            rest[i] = data[i + 4];
        }
        if (selector == bytes4(keccak256("Error(string)"))) {
            return string.concat("Error ", abi.decode(rest, (string)));
        }
        if (selector == bytes4(keccak256("CheatcodeError(string)"))) {
            return string.concat("CheatcodeError ", abi.decode(rest, (string)));
        }
        return hexadecimal(data);
    }

    function hexadecimal(bytes memory data) internal pure returns (string memory) {
        bytes memory digits = "0123456789abcdef";
        bytes memory text = new bytes(2 * data.length);
        for (uint256 i; i < data.length; i++) {
            text[2 * i] = digits[uint8(data[i]) >> 4];
            text[2 * i + 1] = digits[uint8(data[i]) & 15];
        }
        return string.concat("0x", string(text));
    }

    function decimal(uint256 number) internal pure returns (string memory) {
        if (number < 10) return string(abi.encodePacked(uint8(48 + number)));
        return string.concat(decimal(number / 10), decimal(number % 10));
    }
}
