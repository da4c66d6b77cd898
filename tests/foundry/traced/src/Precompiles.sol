// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.24;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// Contracts that are no code.
contract Precompiles {
    bytes32 internal last;

    function hash(uint8 word) external returns (bytes memory) {
        bytes memory data = abi.encodePacked(word);
        last = sha256(data) ^ ripemd160(data);
        ECDSA.tryRecover(last, 27, "r", "s");
        address(4).staticcall{gas: 60_000}("copied");
        address(5).staticcall{gas: 60_000}(abi.encode(1, 1, 1, uint8(3), uint8(4), uint8(5)));
        address(6).staticcall{gas: 60_000}(abi.encode(1, 2, 1, 2));
        address(6).staticcall{gas: 60_000}(abi.encode(1, 1, 1, 2));
        address(7).staticcall{gas: 60_000}(abi.encode(1, 2, 9));
        address(8).staticcall{gas: 60_000}("");
        address(9).staticcall{gas: 60_000}("not enough");
        address(10).staticcall{gas: 60_000}(new bytes(192));
        (, bytes memory found) = address(2).call{gas: 50}("not enough gas");
        return found;
    }

    function check() external view {
        assert(last == 0);
    }
}
