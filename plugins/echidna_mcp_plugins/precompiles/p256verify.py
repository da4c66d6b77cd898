"""P256VERIFY (EIP-7951): a signature on the curve secp256r1, by OpenSSL."""

from __future__ import annotations

from typing import Final

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePublicNumbers,
)
from cryptography.hazmat.primitives.asymmetric.utils import (
    Prehashed,
    encode_dss_signature,
)
from cryptography.hazmat.primitives.hashes import SHA256

from echidna_mcp_plugins.precompiles.precompile import WORD, Precompile, fixed

GAS: Final = 6900

_INPUT: Final = 5 * WORD
_FIELD: Final = 2**256 - 2**224 + 2**192 + 2**96 - 1
_CURVE: Final = SECP256R1()
_SCHEME: Final = ECDSA(Prehashed(SHA256()))
_VALID: Final = (1).to_bytes(WORD)


def p256verify(data: bytes) -> bytes:
    """Return the word 1 if the signature is valid, else nothing.

    `data` is hash, r, s, and the coordinates of the public key.
    """
    if len(data) != _INPUT:
        return b""
    r, s, x, y = (
        int.from_bytes(data[at : at + WORD]) for at in range(WORD, _INPUT, WORD)
    )
    if x >= _FIELD or y >= _FIELD:
        return b""
    try:
        key = EllipticCurvePublicNumbers(x, y, _CURVE).public_key()
    except ValueError:  # no point of the curve
        return b""
    try:
        key.verify(encode_dss_signature(r, s), data[:WORD], _SCHEME)
    except InvalidSignature:
        return b""
    return _VALID


P256VERIFY: Final = Precompile(fixed(GAS), p256verify)
