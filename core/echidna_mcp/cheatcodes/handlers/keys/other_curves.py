"""Keys and signatures on P-256 and Ed25519, by the library cryptography."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    decode_dss_signature,
)
from cryptography.hazmat.primitives.hashes import SHA256

from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.keys.rfc6979 import nonce_of

P256_ORDER: Final = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_REMEMBERED: Final = 4096


def _p256_key(key: int) -> ec.EllipticCurvePrivateKey:
    if not key:
        raise CheatError("private key cannot be 0")
    if key >= P256_ORDER:
        raise CheatError(
            f"private key must be less than the NistP256 curve order ({P256_ORDER})"
        )
    return ec.derive_private_key(key, ec.SECP256R1())


@lru_cache(_REMEMBERED)
def p256_public_key(key: int) -> tuple[int, int]:
    """Return the point of a private key on P-256.

    Raises:
        CheatError: it is none.
    """
    numbers = _p256_key(key).public_key().public_numbers()
    return numbers.x, numbers.y


@lru_cache(_REMEMBERED)
def sign_p256(key: int, digest: bytes) -> tuple[int, int]:
    """Return r and a low s, with the nonce of RFC 6979.

    Raises:
        CheatError: the key is none.
    """
    private = _p256_key(key)
    if int.from_bytes(digest, "big") < P256_ORDER:
        algorithm = ec.ECDSA(Prehashed(SHA256()), deterministic_signing=True)
        r, s = decode_dss_signature(private.sign(digest, algorithm))
    else:
        r, s = _sign_large(key, digest)
    return r, min(s, P256_ORDER - s)


def _sign_large(key: int, digest: bytes) -> tuple[int, int]:
    """Sign a digest that is no less than the order."""
    nonce = nonce_of(key, digest, P256_ORDER)
    r = p256_public_key(nonce)[0] % P256_ORDER
    z = int.from_bytes(digest, "big")
    return r, pow(nonce, -1, P256_ORDER) * (z + r * key) % P256_ORDER


@lru_cache(_REMEMBERED)
def ed25519_public_key(key: bytes) -> bytes:
    """Return the public key of a private key of 32 bytes, which may be any."""
    found = ed25519.Ed25519PrivateKey.from_private_bytes(key)
    return found.public_key().public_bytes_raw()


@lru_cache(_REMEMBERED)
def sign_ed25519(key: bytes, message: bytes) -> bytes:
    """Return the signature of a message."""
    return ed25519.Ed25519PrivateKey.from_private_bytes(key).sign(message)


def verify_ed25519(key: bytes, message: bytes, signature: bytes) -> bool:
    """Tell whether a signature is that of a public key."""
    try:
        found = ed25519.Ed25519PublicKey.from_public_bytes(key)
        found.verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
