// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {CREATE3} from "solady/utils/CREATE3.sol";
import {LibClone} from "solady/utils/LibClone.sol";
import {SSTORE2} from "solady/utils/SSTORE2.sol";

contract Part {
    event Told(bytes args);

    uint256 public immutable size;

    constructor(uint256 size_) payable {
        size = size_;
    }

    function tell() external payable returns (bytes memory args) {
        args = LibClone.argsOnClone(address(this));
        emit Told(args);
    }
}

/// solady's clones with arguments, CREATE3, and contracts that are data.
contract SoladyProxies {
    Part internal original = new Part(7);
    uint256 internal made;

    function clone(uint64 number) external payable {
        bytes memory args = abi.encode(number, msg.sender);
        Part(LibClone.clone(address(original), args)).tell{value: msg.value}();
        made++;
    }

    function deploy(bytes32 salt) external {
        bytes memory code = abi.encodePacked(type(Part).creationCode, abi.encode(9));
        Part part = Part(CREATE3.deployDeterministic(code, salt));
        require(part.size() == 9);
        try this.again(code, salt) {} catch {}
        made++;
    }

    function again(bytes calldata code, bytes32 salt) external {
        CREATE3.deployDeterministic(code, salt);
    }

    function write(string calldata text) external {
        address pointer = SSTORE2.write(bytes(text));
        require(keccak256(SSTORE2.read(pointer)) == keccak256(bytes(text)));
        made++;
    }

    function check() external view {
        assert(made < 3);
    }
}
