"""Keys and signatures against eth-keys, and what is remembered of them."""

from __future__ import annotations

import pytest
from cheat_answers import Nothing, ask, new_cheats, refusal
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    encode_dss_signature,
)
from cryptography.hazmat.primitives.hashes import SHA256
from eth_keys.backends import NativeECCBackend
from eth_keys.datatypes import PrivateKey, Signature
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.cheatcodes.handlers.keys import other_curves, rfc6979, secp256k1

NATIVE = NativeECCBackend()
KEYS = st.integers(1, secp256k1.ORDER - 1)
DIGESTS = st.binary(min_size=32, max_size=32)
PHRASE = "test test test test test test test test test test test junk"
CHEATS = new_cheats()


def private(key):
    return PrivateKey(key.to_bytes(32, "big"), NATIVE)


@given(KEYS, DIGESTS)
def test_signatures_are_those_of_eth_keys(key, digest):
    v, r, s = ask(CHEATS, "sign(uint256,bytes32)", key, f"0x{digest.hex()}")
    expected = private(key).sign_msg_hash(digest)
    assert (v - 27, int(r, 16), int(s, 16)) == expected.vrs


@given(KEYS)
def test_addresses_are_those_of_eth_keys(key):
    expected = private(key).public_key
    assert ask(CHEATS, "addr(uint256)", key) == [
        int.from_bytes(expected.to_canonical_address(), "big")
    ]
    ((address, x, y, same),) = ask(CHEATS, "createWallet(uint256)", key)
    assert [address] == ask(CHEATS, "addr(uint256)", key)
    assert x.to_bytes(32, "big") + y.to_bytes(32, "big") == expected.to_bytes()
    assert same == key


@given(KEYS, DIGESTS, KEYS)
def test_signatures_with_any_nonce_recover_the_key(key, digest, nonce):
    arguments = (key, f"0x{digest.hex()}", nonce)
    v, r, s = ask(CHEATS, "signWithNonceUnsafe(uint256,bytes32,uint256)", *arguments)
    assert int(s, 16) <= secp256k1.ORDER // 2
    signature = Signature(vrs=(v - 27, int(r, 16), int(s, 16)), backend=NATIVE)
    recovered = signature.recover_public_key_from_msg_hash(digest)
    assert recovered == private(key).public_key


@given(KEYS, st.integers(0, secp256k1.ORDER - 1))
def test_nonces_are_those_of_rfc_6979(key, number):
    digest = number.to_bytes(32, "big")
    nonce = rfc6979.nonce_of(key, digest, secp256k1.ORDER)
    found = secp256k1.sign_with_nonce(key, digest, nonce)
    assert found == secp256k1.sign(key, digest)


@given(st.integers(1, other_curves.P256_ORDER - 1), DIGESTS)
def test_signatures_on_p256_are_valid_low_and_the_same_again(key, digest):
    arguments = (key, f"0x{digest.hex()}")
    r, s = ask(CHEATS, "signP256(uint256,bytes32)", *arguments)
    assert int(s, 16) <= other_curves.P256_ORDER // 2
    signature = encode_dss_signature(int(r, 16), int(s, 16))
    public = ec.EllipticCurvePublicNumbers(
        *ask(CHEATS, "publicKeyP256(uint256)", key), ec.SECP256R1()
    )
    public.public_key().verify(signature, digest, ec.ECDSA(Prehashed(SHA256())))
    other_curves.sign_p256.cache_clear()
    assert ask(CHEATS, "signP256(uint256,bytes32)", *arguments) == [r, s]


@given(DIGESTS, st.binary(max_size=40), st.binary(max_size=40))
def test_signatures_of_ed25519_are_verified(salt, namespace, message):
    name, text = f"0x{namespace.hex()}", f"0x{message.hex()}"
    public, key = ask(CHEATS, "createEd25519Key(bytes32)", f"0x{salt.hex()}")
    assert key == f"0x{salt.hex()}"
    (signature,) = ask(CHEATS, "signEd25519(bytes,bytes,bytes32)", name, text, key)
    verify = "verifyEd25519(bytes,bytes,bytes,bytes32)"
    assert ask(CHEATS, verify, signature, name, text, public) == [True]
    assert ask(CHEATS, verify, signature, name, f"{text}00", public) == [False]
    assert ask(CHEATS, verify, signature[:-2], name, text, public) == [False]


@pytest.mark.parametrize(
    "signature", ["addr(uint256)", "createWallet(uint256)", "rememberKey(uint256)"]
)
def test_what_is_no_key_is_refused(signature):
    name = signature.partition("(")[0]
    assert refusal(CHEATS, signature, 0) == f"vm.{name}: private key cannot be 0"
    assert refusal(CHEATS, signature, secp256k1.ORDER) == (
        f"vm.{name}: private key must be less than the Secp256k1 curve order "
        "(115792089237316195423570985008687907852837564279074904382605163141518161494337)"
    )


def test_remembered_keys_go_back_with_the_sequence():
    cheats, digest = new_cheats(), f"0x{'44' * 32}"
    ask(cheats, "rememberKey(uint256)", 5)
    mark = cheats.mark()
    ask(cheats, "rememberKeys(string,string,uint32)", PHRASE, "m", 2)
    assert "multiple signers" in refusal(cheats, "sign(bytes32)", digest)
    cheats.restore(mark)
    expected = ask(cheats, "sign(uint256,bytes32)", 5, digest)
    assert ask(cheats, "sign(bytes32)", digest) == expected


def test_a_wallet_is_labelled():
    cheats = new_cheats()
    ((address, *_),) = ask(cheats, "createWallet(string)", "bob")
    assert ask(cheats, "getLabel(address)", address) == ["bob"]


def test_the_nonce_of_a_wallet_is_that_of_its_address():
    class Host(Nothing):
        def nonce(self, address):
            return address + 1

    signature = "getNonce((address,uint256,uint256,uint256))"
    assert ask(new_cheats(Host()), signature, [41, 1, 2, 3]) == [42]


def test_words_of_a_language_that_is_not_known_are_refused_by_name():
    cheats = new_cheats()
    arguments = (PHRASE, 0, "korean")
    assert "the language korean" in refusal(
        cheats, "deriveKey(string,uint32,string)", *arguments
    )
    assert [*cheats.refused] == ["deriveKey(string,uint32,string)"]


def test_words_of_other_languages_are_known():
    phrase = " ".join(["abandon"] * 11 + ["about"])
    spanish = " ".join(["\u00e1baco".replace("\u00e1", "a\u0301")] * 11 + ["abierto"])
    signature = "deriveKey(string,uint32,string)"
    assert ask(CHEATS, signature, phrase, 0, "english") is not None
    assert ask(CHEATS, signature, spanish, 0, "spanish") is not None
    assert "invalid" in refusal(CHEATS, signature, phrase, 0, "spanish")


def test_more_keys_than_anybody_needs_are_refused():
    arguments = (PHRASE, "m", 2**32 - 1)
    assert "too many" in refusal(
        CHEATS, "rememberKeys(string,string,uint32)", *arguments
    )
