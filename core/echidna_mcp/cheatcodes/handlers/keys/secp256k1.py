"""Keys, addresses and signatures of accounts (ECDSA on secp256k1).

The library is wallycore, as of the precompile `ecrecover`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from eth_hash.auto import keccak

from echidna_mcp.cheatcodes.errors import CheatError
from echidna_mcp.cheatcodes.handlers.keys.rfc6979 import nonce_of
from echidna_mcp.cheatcodes.handlers.keys.wally import wallycore

ORDER: Final = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
_HALF: Final = ORDER // 2
_RECOVERABLE: Final = wallycore.EC_FLAG_ECDSA | wallycore.EC_FLAG_RECOVERABLE
_FIRST_HEADER: Final = 31
"""The header of a signature with a compressed public key: plus 0 to 3."""
_REMEMBERED: Final = 4096


class Signature(NamedTuple):
    """A signature with a low s.

    Attributes:
        odd: whether the y of its point is odd: v is 28 then, else 27.
        r, s: numbers.
    """

    odd: bool
    r: int
    s: int


def check_key(key: int) -> None:
    """Refuse what is no private key.

    Raises:
        CheatError: it is 0, or the order of the curve or more.
    """
    if not key:
        raise CheatError("private key cannot be 0")
    if key >= ORDER:
        raise CheatError(
            f"private key must be less than the Secp256k1 curve order ({ORDER})"
        )


@lru_cache(_REMEMBERED)
def public_key(key: int) -> tuple[int, int]:
    """Return the point of a private key.

    Raises:
        CheatError: it is none.
    """
    check_key(key)
    point = wallycore.ec_public_key_decompress(compressed(key))
    return int.from_bytes(point[1:33], "big"), int.from_bytes(point[33:], "big")


def compressed(key: int) -> bytes:
    """Return the point of a private key in 33 bytes."""
    found: bytes = wallycore.ec_public_key_from_private_key(_word(key))
    return found


def address(key: int) -> int:
    """Return the address of a private key.

    Raises:
        CheatError: it is none.
    """
    x, y = public_key(key)
    return int.from_bytes(keccak(_word(x) + _word(y))[12:], "big")


@lru_cache(_REMEMBERED)
def sign(key: int, digest: bytes) -> Signature:
    """Sign a digest of 32 bytes, with the nonce of RFC 6979.

    Raises:
        CheatError: the key is none.
    """
    check_key(key)
    if int.from_bytes(digest, "big") >= ORDER:
        return sign_with_nonce(key, digest, nonce_of(key, digest, ORDER))
    found = wallycore.ec_sig_from_bytes(_word(key), digest, _RECOVERABLE)
    r, s = (int.from_bytes(found[at : at + 32], "big") for at in (1, 33))
    return Signature(bool((found[0] - _FIRST_HEADER) & 1), r, s)


@lru_cache(_REMEMBERED)
def sign_with_nonce(key: int, digest: bytes, nonce: int) -> Signature:
    """Sign a digest of 32 bytes with a nonce that tells the key to who knows it.

    Raises:
        CheatError: the key or the nonce is none.
    """
    for name, number in (("private key", key), ("nonce", nonce)):
        if not number:
            raise CheatError(f"{name} cannot be 0")
        if number >= ORDER:
            raise CheatError(f"invalid {name} scalar")
    x, y = public_key(nonce)
    r, z = x % ORDER, int.from_bytes(digest, "big") % ORDER
    s = pow(nonce, -1, ORDER) * (z + r * key) % ORDER
    if not s:
        raise CheatError("sign_prehashed failed: signature error")
    low = s <= _HALF
    return Signature(bool(y & 1) == low, r, s if low else ORDER - s)


def signer_of(digest: bytes, v: int, r: int, s: int) -> int | None:
    """Return who has signed a digest; None if the signature is not valid.

    As the precompile ECRECOVER (Yellow Paper, appendix E).
    """
    if v not in (27, 28):
        return None
    signature = bytes([_FIRST_HEADER + v - 27]) + _word(r) + _word(s)
    try:
        key = wallycore.ec_sig_to_public_key(digest, signature)
    except ValueError:
        return None
    point = wallycore.ec_public_key_decompress(key)
    return int.from_bytes(keccak(point[1:])[12:], "big")


def _word(number: int) -> bytes:
    return number.to_bytes(32, "big")
