// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

/// @notice All precompiled contracts, with good input, bad input and too little gas.
contract Precompiles {
    bytes32 private digest;
    bool private wrong;
    uint256 private failures;

    uint256 private constant FIELD =
        21888242871839275222246405745257275088696311157297823662689037894645226208583;

    function recover(bytes32 hash, uint8 v, bytes32 r, bytes32 s) external {
        note(abi.encode(ecrecover(hash, v, r, s)));
        note(abi.encode(ecrecover(hash, 27 + (v & 1), r >> 1, s >> 1)));
    }

    /// @dev The example of web3's documentation: the signer is known.
    function recoverKnown(bool flip) external {
        bytes32 hash = 0x1476abb745d423bf09273f1afd887d951181d25adc66c4834a70491911b7f750;
        bytes32 r = 0xe6ca9bba58c88611fad66a6ce8f996908195593807c4b38bd528d2cff09d4eb3;
        bytes32 s = 0x3e5bfbbf4d3e39b1a2fd816a7680c19ebebaf3a141b239934ad43cb33fcec8ce;
        address signer = ecrecover(hash, flip ? 27 : 28, r, s);
        if (signer == address(0)) wrong = true;
        note(abi.encode(signer));
    }

    function hashes(bytes calldata data) external {
        note(abi.encode(sha256(data), ripemd160(data), keccak256(data)));
    }

    function copy(bytes calldata data) external {
        (bool done, bytes memory output) = address(4).staticcall(data);
        if (!done || keccak256(output) != keccak256(data)) wrong = true;
    }

    function power(uint256 base, uint256 exponent, uint256 modulus, bool small) external {
        if (small) {
            base %= 1000;
            exponent %= 10;
            modulus = modulus % 100_000 + 1;
        }
        bytes memory input = abi.encode(32, 32, 32, base, exponent, modulus);
        (bool done, bytes memory output) = address(5).staticcall(input);
        if (!done || output.length != 32) wrong = true;
        uint256 result = abi.decode(output, (uint256));
        if (small && result != base ** exponent % modulus) wrong = true;
        note(output);
    }

    function powerOfLengths(uint8 b, uint8 e, uint8 m, bytes calldata rest) external {
        bytes memory input = abi.encodePacked(
            uint256(b), uint256(e), uint256(m), rest
        );
        (bool done, bytes memory output) = address(5).staticcall(input);
        if (!done || output.length != m) wrong = true;
        note(output);
    }

    function curve(uint256 scalar, bool valid, uint8 size) external {
        // Few scalars are long: the reference multiplies in Python.
        if (size % 16 != 0) scalar %= 1 << (size % 16);
        uint256 y = valid ? 2 : scalar;
        (bool done, bytes memory point) = address(7).staticcall(abi.encode(1, y, scalar));
        if (valid && !done) wrong = true;
        if (!done) failures++;
        note(point);
        if (!done) return;
        (done, point) = address(6).staticcall(abi.encodePacked(point, point));
        (, bytes memory twice) =
            address(7).staticcall(abi.encode(1, y, mulmod(scalar, 2, order())));
        if (!done || keccak256(point) != keccak256(twice)) wrong = true;
    }

    function pairing(bool good, uint256 luck) external {
        // Seldom: the reference takes seconds for it.
        if (uint256(keccak256(abi.encode(luck))) % 100 != 0) return;
        uint256 y = good ? FIELD - 2 : 2;
        // e(P, Q) * e(-P, Q) is one.
        bytes memory second = abi.encode(
            11559732032986387107991004021392285783925812861821192530917403151452391805634,
            10857046999023057135944570762232829481370756359578518086990519993285655852781,
            4082367875863433681332203403145435568316851327593401208105741076214120093531,
            8495653923123431417604973247489272438418190587263600148770280649306958101930
        );
        bytes memory input = abi.encodePacked(
            abi.encode(1, 2), second, abi.encode(1, y), second
        );
        (bool done, bytes memory output) = address(8).staticcall(input);
        if (!done || (abi.decode(output, (uint256)) == 1) != good) wrong = true;
    }

    function compress(uint32 rounds, bytes calldata data, bool last) external {
        bytes memory state = new bytes(208);
        for (uint256 i = 0; i < data.length && i < 208; i++) state[i] = data[i];
        bytes memory input = abi.encodePacked(rounds % 20, state, last);
        (bool done, bytes memory output) = address(9).staticcall(input);
        if (!done) wrong = true;
        note(output);
    }

    function withGas(uint8 which, uint32 limit, bytes calldata data) external payable {
        address target = address(uint160(which % 12));
        (bool done, bytes memory output) =
            target.call{gas: limit % 5000, value: msg.value % 2}(data);
        if (!done) failures++;
        note(output);
    }

    function echidna_answers_are_right() external view returns (bool) {
        return !wrong;
    }

    function echidna_few_failures() external view returns (bool) {
        return failures < 10;
    }

    function order() private pure returns (uint256) {
        return
            21888242871839275222246405745257275088548364400416034343698204186575808495617;
    }

    function note(bytes memory data) private {
        digest = keccak256(abi.encode(digest, data));
    }
}
