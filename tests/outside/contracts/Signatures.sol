// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Bytes} from "@openzeppelin/contracts/utils/Bytes.sol";
import {MerkleProof} from "@openzeppelin/contracts/utils/cryptography/MerkleProof.sol";
import {P256} from "@openzeppelin/contracts/utils/cryptography/P256.sol";
import {RSA} from "@openzeppelin/contracts/utils/cryptography/RSA.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {Strings} from "@openzeppelin/contracts/utils/Strings.sol";

/// @notice OpenZeppelin's P256, RSA, MerkleProof: long loops, MODEXP and SHA-256.
contract Signatures {
    using Bytes for bytes;

    uint256 private points;
    bool private wrong;

    function verifyP256(bytes32 hash, bytes32 r, bytes32 s) external {
        // The generator of the curve is a public key whose private key is one.
        bytes32 x = 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296;
        bytes32 y = 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5;
        if (P256.verifySolidity(hash, r, s >> 2, x, y)) wrong = true;
    }

    function onCurve(uint256 seed) external {
        (bytes32 x, bytes32 y) =
            P256.recovery(keccak256("message"), uint8(seed & 1), bytes32(seed), "1");
        if (x != 0 && P256.isValidPublicKey(x, y)) points++;
    }

    function verifyRsa(bytes32 hash, bytes32 word) external {
        bytes memory modulus = bytes.concat(
            bytes32(type(uint256).max), bytes32(0), bytes32(0), bytes32(0),
            bytes32(0), bytes32(0), bytes32(0), word | bytes32(uint256(1))
        );
        bytes memory signature = bytes.concat(
            bytes32(0), word, hash, word, hash, word, hash, word
        );
        bytes memory exponent = hex"010001";
        if (RSA.pkcs1Sha256(sha256(abi.encode(hash)), signature, exponent, modulus)) {
            wrong = true;
        }
    }

    function prove(bytes32[] calldata proof, bytes32 leaf) external {
        if (MerkleProof.verifyCalldata(proof, keccak256("root"), leaf)) wrong = true;
    }

    function cut(bytes calldata data, uint8 start) external {
        bytes memory tail = bytes(data).slice(start);
        if (tail.length + start != data.length && start < data.length) wrong = true;
        uint256 root = Math.sqrt(uint256(keccak256(data)));
        if (root >= 1 << 128) wrong = true;
        if (Strings.parseUint(Strings.toString(root)) != root) wrong = true;
    }

    function echidna_nothing_is_forged() external view returns (bool) {
        return !wrong;
    }

    function echidna_few_points() external view returns (bool) {
        return points < 2;
    }
}
