"""POINT_EVALUATION (EIP-4844): a value of the polynomial behind a KZG commitment.

The proof that p(z) = y is a point Q with e(Q, [t - z]) = e(C - [y], [1]). So of the
trusted setup only the point [t] of G2 is needed, and no file has to be read.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from py_arkworks_bls12381 import GT, G1Point, G2Point, Scalar

from echidna_mcp_plugins.precompiles.precompile import (
    WORD,
    Precompile,
    RefusedError,
    fixed,
)

GAS: Final = 50_000

_INPUT: Final = 192
_VERSION: Final = b"\x01"
"""The first byte of the hash of a commitment (EIP-4844)."""
_MODULUS: Final = 0x73EDA753299D7D483339D80809A1D80553BDA402FFFE5BFEFFFFFFFF00000001
"""The order of the group."""
_ANSWER: Final = (4096).to_bytes(WORD) + _MODULUS.to_bytes(WORD)
"""Field elements of a blob, and the modulus."""
_SECRET: Final = G2Point.from_compressed_bytes(
    bytes.fromhex(
        "b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d"
        "2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e2"
        "3926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2"
    )
)
"""[t]: the second point of G2 in the setup of the KZG ceremony."""
_G1: Final = G1Point()
_G2: Final = G2Point()
_MINUS_G2: Final = -_G2


def point_evaluation(data: bytes) -> bytes:
    """Return the blob's size and the modulus.

    `data` is the commitment's hash, z, y, commitment and proof.

    Raises:
        RefusedError: the input proves nothing.
    """
    if len(data) != _INPUT:
        raise RefusedError("not 192 bytes")
    if _VERSION + sha256(data[96:144]).digest()[1:] != data[:WORD]:
        raise RefusedError("the hash of another commitment")
    try:
        z = Scalar.from_be_bytes(data[32:64])
        y = Scalar.from_be_bytes(data[64:96])
        commitment = _point(data[96:144])
        proof = _point(data[144:])
    except ValueError as error:
        raise RefusedError(
            "no number of the field, or no point of the group"
        ) from error
    left, right = commitment - _G1 * y, _SECRET - _G2 * z
    if not GT.pairing_check([left, proof], [_MINUS_G2, right]):
        raise RefusedError("a wrong proof")
    return _ANSWER


def _point(data: bytes) -> G1Point:
    """Return a point of the group.

    Raises:
        ValueError: it is none, or written in another way: the library does not look at
            what stands beside the flag of infinity.
    """
    point = G1Point.from_compressed_bytes(data)
    if point.to_compressed_bytes() != data:
        raise ValueError("another way to write a point")
    return point


POINT_EVALUATION: Final = Precompile(fixed(GAS), point_evaluation)
