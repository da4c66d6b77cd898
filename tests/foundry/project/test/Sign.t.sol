// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;

import {Base} from "../src/Base.sol";
import {Vm} from "../src/Vm.sol";

contract Nothing {}

contract SignTest is Base {
    uint256 internal constant ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
    string internal constant WORDS = "test test test test test test test test test test test junk";

    function test_AddressOfAKey() public pure {
        checkAddress(vm.addr(1), 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf);
        checkAddress(vm.addr(ORDER - 1), 0x80C0dbf239224071c59dD8970ab9d542E3414aB2);
    }

    function test_AddressOfKeyZero() public {
        refused(abi.encodeCall(Vm.addr, (0)), "vm.addr: private key cannot be 0");
    }

    function test_AddressOfAKeyTooLarge() public {
        refused(
            abi.encodeCall(Vm.addr, (ORDER)),
            "vm.addr: private key must be less than the Secp256k1 curve order "
            "(115792089237316195423570985008687907852837564279074904382605163141518161494337)"
        );
    }

    function test_SignatureIsRecovered() public pure {
        bytes32 digest = keccak256("message");
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(7, digest);
        checkAddress(ecrecover(digest, v, r, s), vm.addr(7));
        check(v == 27 || v == 28, "v");
        check(uint256(s) <= ORDER / 2, "low s");
    }

    function test_SignatureIsThatOfTheStandard() public pure {
        // RFC 6979: the nonce is computed, so each key has one signature of a digest.
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(1, keccak256("abc"));
        (uint8 v2, bytes32 r2, bytes32 s2) = vm.sign(1, keccak256("abc"));
        check(v == v2 && r == r2 && s == s2, "the same again");
        checkText(
            hexadecimal(abi.encodePacked(r, s, v)),
            "0xe6cbd687d6cda3d7cf8e37214d3128a54196b42400aa1c246952a68346238856"
            "1eee2ec3d64cb26e0edd6f86b19784552a39a351ea1779cdad6717e8200932421c"
        );
    }

    function test_SignatureOfZero() public pure {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(1, 0);
        checkAddress(ecrecover(0, v, r, s), vm.addr(1));
    }

    function test_SignWithKeyZero() public {
        refused(
            abi.encodeWithSignature("sign(uint256,bytes32)", 0, bytes32(0)),
            "vm.sign: private key cannot be 0"
        );
    }

    function test_SignWithAKeyTooLarge() public {
        refused(
            abi.encodeWithSignature("sign(uint256,bytes32)", type(uint256).max, bytes32(0)),
            "vm.sign: private key must be less than the Secp256k1 curve order "
            "(115792089237316195423570985008687907852837564279074904382605163141518161494337)"
        );
    }

    function test_Compact() public pure {
        for (uint256 key = 1; key < 6; key++) {
            bytes32 digest = keccak256(abi.encode(key));
            (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
            (bytes32 r2, bytes32 vs) = vm.signCompact(key, digest);
            check(r == r2, "r");
            checkUint(uint256(vs), uint256(s) | uint256(v - 27) << 255);
        }
    }

    function test_P256() public pure {
        (bytes32 r, bytes32 s) = vm.signP256(5, keccak256("x"));
        check(r != 0 && s != 0, "signed");
        (uint256 x, uint256 y) = vm.publicKeyP256(1);
        checkUint(x, 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296);
        checkUint(y, 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5);
    }

    function test_SignByAnUnknownAccount() public {
        refused(
            abi.encodeWithSignature("sign(address,bytes32)", alice, bytes32(0)),
            "vm.sign: no wallets available"
        );
    }

    function test_SignByARememberedAccount() public {
        address account = vm.rememberKey(9);
        checkAddress(account, vm.addr(9));
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(account, keccak256("x"));
        checkAddress(ecrecover(keccak256("x"), v, r, s), account);
        checkUint(vm.getWallets().length, 1);
    }

    function test_KeysOfWords() public pure {
        checkAddress(vm.addr(vm.deriveKey(WORDS, 0)), 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266);
        checkAddress(vm.addr(vm.deriveKey(WORDS, 1)), 0x70997970C51812dc3A010C7d01b50e0d17dc79C8);
        checkUint(
            vm.deriveKey(WORDS, 0), 0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80
        );
    }

    function test_KeysOfAPath() public pure {
        checkUint(vm.deriveKey(WORDS, "m/44'/60'/0'/0/", 3), vm.deriveKey(WORDS, 3));
        check(vm.deriveKey(WORDS, "m/44'/60'/0'/1/", 3) != vm.deriveKey(WORDS, 3), "another");
    }

    function test_KeysOfNoWords() public {
        (bool done,) =
            address(vm).call(abi.encodeWithSignature("deriveKey(string,uint32)", "not words", 0));
        check(!done, "refused");
    }

    function test_WalletOfAName() public {
        Vm.Wallet memory wallet = vm.createWallet("Alice");
        checkUint(wallet.privateKey, uint256(keccak256("Alice")));
        checkAddress(wallet.addr, vm.addr(wallet.privateKey));
        checkText(vm.getLabel(wallet.addr), "Alice");
    }

    function test_WalletOfAKey() public {
        Vm.Wallet memory wallet = vm.createWallet(1);
        checkAddress(wallet.addr, vm.addr(1));
        checkUint(wallet.publicKeyX, 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798);
        checkUint(wallet.publicKeyY, 0x483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(wallet, keccak256("x"));
        checkAddress(ecrecover(keccak256("x"), v, r, s), wallet.addr);
    }

    function test_WalletWithALabel() public {
        Vm.Wallet memory wallet = vm.createWallet(1, "one");
        checkText(vm.getLabel(wallet.addr), "one");
    }

    function test_CreateAddress() public {
        uint64 nonce = vm.getNonce(address(this));
        checkAddress(vm.computeCreateAddress(address(this), nonce), address(new Nothing()));
        checkAddress(
            vm.computeCreateAddress(address(this), nonce),
            address(uint160(uint256(keccak256(abi.encodePacked(hex"d694", address(this), uint8(nonce))))))
        );
    }

    function test_CreateAddressOfLargeNonces() public pure {
        address deployer = address(0xDE);
        bytes32 hash = keccak256(abi.encodePacked(hex"d694", deployer, hex"80"));
        checkAddress(vm.computeCreateAddress(deployer, 0), address(uint160(uint256(hash))));
        hash = keccak256(abi.encodePacked(hex"d794", deployer, hex"8180"));
        checkAddress(vm.computeCreateAddress(deployer, 128), address(uint160(uint256(hash))));
        hash = keccak256(abi.encodePacked(hex"d894", deployer, hex"820100"));
        checkAddress(vm.computeCreateAddress(deployer, 256), address(uint160(uint256(hash))));
    }

    function test_CreateAddressOfTooLargeANonce() public {
        refused(
            abi.encodeCall(Vm.computeCreateAddress, (alice, 1 << 64)),
            "vm.computeCreateAddress: nonce must be less than 2^64"
        );
    }

    function test_Create2Address() public {
        bytes32 hash = keccak256(type(Nothing).creationCode);
        address made = address(new Nothing{salt: "s"}());
        checkAddress(vm.computeCreate2Address("s", hash, address(this)), made);
    }

    function test_Create2AddressOfTheFactory() public pure {
        bytes32 hash = keccak256("code");
        checkAddress(
            vm.computeCreate2Address("s", hash),
            vm.computeCreate2Address("s", hash, 0x4e59b44847b379578588920cA78FbF26c0B4956C)
        );
    }

    function test_Fails_KeyZero() public pure {
        vm.addr(0);
    }

    function test_Fails_OtherKey() public pure {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(7, "x");
        checkAddress(ecrecover("x", v, r, s), vm.addr(8));
    }
}

contract LabelTest is Base {
    function test_Label() public {
        vm.label(alice, "Alice");
        checkText(vm.getLabel(alice), "Alice");
        vm.label(alice, "");
        checkText(vm.getLabel(alice), "");
    }

    function test_WithoutALabel() public view {
        checkText(vm.getLabel(alice), "unlabeled:0x00000000000000000000000000000000000A11cE");
    }
}
