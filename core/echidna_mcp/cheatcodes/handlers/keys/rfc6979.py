"""Nonces of deterministic signatures, of digests that libraries and Foundry differ on.

RFC 6979 reduces a digest by the order of the curve before it makes a nonce, and so do
libsecp256k1 and OpenSSL. Foundry's libraries take it as it is.
"""

from __future__ import annotations

import hmac


def nonce_of(key: int, digest: bytes, order: int) -> int:
    """Return the nonce for a digest as it is (RFC 6979, 3.2, with SHA-256).

    Args:
        order: of the curve: a number of 256 bits.
    """
    seed = key.to_bytes(32, "big") + digest
    v, k = b"\x01" * 32, bytes(32)
    for mark in (b"\x00", b"\x01"):
        k = hmac.digest(k, v + mark + seed, "sha256")
        v = hmac.digest(k, v, "sha256")
    while True:
        v = hmac.digest(k, v, "sha256")
        nonce = int.from_bytes(v, "big")
        if 0 < nonce < order:
            return nonce
        k = hmac.digest(k, v + b"\x00", "sha256")
        v = hmac.digest(k, v, "sha256")
