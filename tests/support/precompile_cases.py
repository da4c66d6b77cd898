"""Random and odd input of precompiles, from a seed.

Most of it is almost right: a valid input in which one thing may be wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from eth.precompiles.point_evaluation import TRUSTED_SETUP_PATH
from precompile_inputs import BN_FIELD, BN_ORDER, GOOD, fields, words
from py_ecc import optimized_bls12_381 as bls
from py_ecc import optimized_bn128 as bn
from py_ecc.bls.point_compression import compress_G1, decompress_G1

from echidna_mcp_plugins.py_evm.curves import secp256r1

SECP_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
SECP_FIELD = 2**256 - 2**32 - 977
SECP_G = 0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798
BLS_FIELD = bls.field_modulus
BLS_ORDER = bls.curve_order
TOP = 2**256 - 1


def odd_size(rng: Random, data: bytes) -> bytes:
    """Return input of another size, sometimes."""
    match rng.randrange(12):
        case 0:
            return data[: rng.randrange(len(data) + 1)]
        case 1:
            return data + rng.randbytes(rng.randrange(1, 70))
        case 2:
            return data[:-1]
    return data


def spoiled(rng: Random, data: bytes) -> bytes:
    """Return input in which one bit is another, sometimes."""
    if not data or rng.randrange(6):
        return data
    changed = bytearray(data)
    changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def number(rng: Random, *edges: int) -> int:
    """Return a word: a random one, or near to one that matters."""
    if rng.randrange(3):
        return rng.getrandbits(256)
    return (rng.choice((0, *edges)) + rng.randrange(-1, 2)) % (TOP + 1)


# ------------------------------------------------------------------------ secp256k1


def ecrecover(rng: Random) -> bytes:
    v = rng.choice((27, 28, 27, 28, 27, 28, 0, 1, 26, 29, 27 + 256, 27 << 248))
    digest = number(rng, SECP_ORDER)
    edges = (SECP_ORDER, SECP_FIELD, SECP_ORDER // 2, TOP, SECP_G)
    r, s = number(rng, *edges), number(rng, *edges)
    if not rng.randrange(10):  # The key is the point at infinity.
        v, r, s = 27, SECP_G, digest
    return odd_size(rng, words(digest, v, r, s))


# --------------------------------------------------------------------------- MODEXP


def modexp(rng: Random) -> bytes:
    sizes = (0, 1, 2, 8, 31, 32, 33, 63, 64, 65, 200)
    base, modulus = rng.choice(sizes), rng.choice(sizes)
    exponent = rng.choice((0, 1, 2, 31, 32, 33, 40))
    match rng.randrange(8):
        case 0:
            modulus, exponent = rng.choice((1023, 1024, 1025)), rng.randrange(4)
        case 1:
            base, exponent = rng.choice((1023, 1024, 1025)), rng.randrange(4)
        case 2:
            exponent, modulus = rng.choice((1023, 1024, 1025)), rng.randrange(40)
    parts = [rng.randbytes(size) for size in (base, exponent, modulus)]
    for index in range(3):
        match rng.randrange(6):
            case 0:
                parts[index] = bytes(len(parts[index]))
            case 1 if parts[index]:
                parts[index] = bytes(len(parts[index]) - 1) + b"\x01"
    stated = [base, exponent, modulus]
    if not rng.randrange(8):
        stated[rng.randrange(3)] = rng.choice((2**32, 2**64 - 1, 2**64, 2**255, TOP))
    return odd_size(rng, words(*stated) + b"".join(parts))


# ---------------------------------------------------------------------------- BN254


def bn_g1(rng: Random, factor: int | None = None) -> bytes:
    factor = rng.randrange(BN_ORDER) if factor is None else factor
    match rng.randrange(14):
        case 0:
            return bytes(64)
        case 1:
            return words(rng.randrange(BN_FIELD), rng.randrange(BN_FIELD))
    point = bn.multiply(bn.G1, factor)
    x, y = (0, 0) if bn.is_inf(point) else (int(c) for c in bn.normalize(point))
    match rng.randrange(14):
        case 0:
            return words(x + BN_FIELD, y)
        case 1:
            return words(x, y + BN_FIELD)
    return words(x, y)


def bn_g2(rng: Random, factor: int | None = None) -> bytes:
    factor = rng.randrange(1, BN_ORDER) if factor is None else factor
    match rng.randrange(14):
        case 0:
            return bytes(128)
        case 1:
            return words(*(rng.randrange(BN_FIELD) for _ in range(4)))
        case 2:
            x, y = twist_point(rng, bn.FQ2, bn.b2, BN_FIELD)
        case _:
            x, y = bn.normalize(bn.multiply(bn.G2, factor))
    found = [int(c) for c in (*x.coeffs[::-1], *y.coeffs[::-1])]
    if not rng.randrange(14):
        found[rng.randrange(4)] += BN_FIELD
    return words(*found)


def twist_point(rng: Random, pairs: Any, b: Any, field: int) -> tuple[Any, Any]:
    """Return a point of a twist, which hardly ever is one of its subgroup."""
    while True:
        x = pairs([rng.randrange(field), rng.randrange(field)])
        y = root_of(x * x * x + b, pairs, field)
        if y is not None:
            return x, y


def root_of(value: Any, pairs: Any, field: int) -> Any:
    """Return a square root in the quadratic field (i^2 = -1), or None."""
    a, b = (int(c) for c in value.coeffs)
    norm = pow(a * a + b * b, (field + 1) // 4, field)
    for sign in (1, -1):
        half = (a + sign * norm) * pow(2, -1, field) % field
        x = pow(half, (field + 1) // 4, field)
        if x and x * x % field == half:
            y = b * pow(2 * x, -1, field) % field
            if (x * x - y * y - a) % field == 0:
                return pairs([x, y])
    return None


def bn_add(rng: Random) -> bytes:
    factor = rng.randrange(BN_ORDER)
    other = rng.choice((factor, BN_ORDER - factor, rng.randrange(BN_ORDER)))
    return odd_size(rng, bn_g1(rng, factor) + bn_g1(rng, other))


def bn_mul(rng: Random) -> bytes:
    return odd_size(rng, bn_g1(rng) + words(number(rng, BN_ORDER, BN_FIELD, TOP)))


def bn_pairing(rng: Random) -> bytes:
    pairs, total = [], 0
    for _ in range(rng.choice((0, 1, 1, 2))):
        a, b = rng.randrange(BN_ORDER), rng.randrange(1, BN_ORDER)
        pairs.append(bn_g1(rng, a) + bn_g2(rng, b))
        total += a * b
    if rng.randrange(3):  # The product is one.
        pairs.append(bn_g1(rng, -total % BN_ORDER) + bn_g2(rng, 1))
    return odd_size(rng, b"".join(pairs))


# ------------------------------------------------------------------------ BLS12-381


def bls_g1(rng: Random, factor: int | None = None) -> bytes:
    factor = rng.randrange(BLS_ORDER) if factor is None else factor
    match rng.randrange(14):
        case 0:
            return bytes(128)
        case 1:
            return fields(rng.randrange(BLS_FIELD), rng.randrange(BLS_FIELD))
        case 2:
            return fields(*curve_point(rng))
    point = bls.multiply(bls.G1, factor)
    x, y = (0, 0) if bls.is_inf(point) else (int(c) for c in bls.normalize(point))
    match rng.randrange(18):
        case 0:
            return fields(x + BLS_FIELD, y)
        case 1:
            return fields(x, y + (1 << rng.randrange(381, 512)))
    return fields(x, y)


def curve_point(rng: Random) -> tuple[int, int]:
    """Return a point of the curve, which hardly ever is one of its subgroup."""
    while True:
        x = rng.randrange(BLS_FIELD)
        y = pow(x**3 + 4, (BLS_FIELD + 1) // 4, BLS_FIELD)
        if (y * y - x**3 - 4) % BLS_FIELD == 0:
            return x, y


def bls_g2(rng: Random, factor: int | None = None) -> bytes:
    factor = rng.randrange(BLS_ORDER) if factor is None else factor
    match rng.randrange(14):
        case 0:
            return bytes(256)
        case 1:
            return fields(*(rng.randrange(BLS_FIELD) for _ in range(4)))
        case 2:
            x, y = twist_point(rng, bls.FQ2, bls.b2, BLS_FIELD)
        case _:
            point = bls.multiply(bls.G2, factor)
            if bls.is_inf(point):
                return bytes(256)
            x, y = bls.normalize(point)
    found = [int(c) for c in (*x.coeffs, *y.coeffs)]
    if not rng.randrange(18):
        found[rng.randrange(4)] += BLS_FIELD
    return fields(*found)


def sums(point: Callable[..., bytes]) -> Callable[[Random], bytes]:
    def make(rng: Random) -> bytes:
        factor = rng.randrange(BLS_ORDER)
        other = rng.choice((factor, BLS_ORDER - factor, rng.randrange(BLS_ORDER)))
        return odd_size(rng, point(rng, factor) + point(rng, other))

    return make


def products(point: Callable[..., bytes]) -> Callable[[Random], bytes]:
    def make(rng: Random) -> bytes:
        count = rng.choice((1, 1, 2, 3))
        pairs = (point(rng) + words(number(rng, BLS_ORDER, TOP)) for _ in range(count))
        return odd_size(rng, b"".join(pairs))

    return make


def bls_pairing(rng: Random) -> bytes:
    pairs, total = [], 0
    for _ in range(rng.choice((0, 1, 1, 2))):
        a, b = rng.randrange(BLS_ORDER), rng.randrange(BLS_ORDER)
        pairs.append(bls_g1(rng, a) + bls_g2(rng, b))
        total += a * b
    if rng.randrange(3):
        pairs.append(bls_g1(rng, -total % BLS_ORDER) + bls_g2(rng, 1))
    return odd_size(rng, b"".join(pairs))


def maps(count: int) -> Callable[[Random], bytes]:
    def make(rng: Random) -> bytes:
        edges = (0, 1, BLS_FIELD - 1, BLS_FIELD, 2**381, 2**384 - 1, 2**512 - 1)
        found = [
            rng.randrange(BLS_FIELD) if rng.randrange(3) else rng.choice(edges)
            for _ in range(count)
        ]
        return odd_size(rng, fields(*found))

    return make


# ------------------------------------------------------------------ point evaluation


@cache
def secret() -> Any:
    """Return the point [t] of G1 of the trusted setup: the one after the generator."""
    lines = Path(TRUSTED_SETUP_PATH).read_text().split()
    first, second = int(lines[0]), int(lines[1])
    return decompress_G1(int(lines[2 + first + second + 1], 16))


def point_evaluation(rng: Random) -> bytes:
    """Return a proof for a polynomial of degree 1: a + b x."""
    a, b, z = (rng.randrange(BLS_ORDER) for _ in range(3))
    if not rng.randrange(4):
        b = 0
    commitment = bls.add(bls.multiply(bls.G1, a), bls.multiply(secret(), b))
    proof = bls.multiply(bls.G1, b)
    y = (a + b * z) % BLS_ORDER
    match rng.randrange(8):
        case 0:
            z += BLS_ORDER
        case 1:
            y += BLS_ORDER
        case 2:
            y = (y + 1) % BLS_ORDER
        case 3:
            proof = bls.multiply(proof, 3)
    encoded = compress_G1(commitment).to_bytes(48, "big")
    tail = compress_G1(proof).to_bytes(48, "big")
    match rng.randrange(8):
        case 0:
            encoded = spoiled(rng, spoiled(rng, encoded))
        case 1:
            tail = rng.choice((b"\xc0" + bytes(46) + b"\x01", b"\x80" + bytes(47)))
        case 2:
            tail = bytes([tail[0] ^ rng.choice((0x20, 0x40, 0x80))]) + tail[1:]
        case 3:
            x, _ = curve_point(rng)
            tail = (x | 1 << 383).to_bytes(48, "big")
    versioned = b"\x01" + sha256(encoded).digest()[1:]
    data = spoiled(rng, versioned) + words(z % 2**256, y % 2**256) + encoded + tail
    return odd_size(rng, data)


# ------------------------------------------------------------------------- secp256r1


def p256verify(rng: Random) -> bytes:
    order, field = secp256r1.ORDER, secp256r1.FIELD
    digest, key, nonce = (
        number(rng, order, TOP),
        *(rng.randrange(1, order) for _ in range(2)),
    )
    point = secp256r1.multiply(secp256r1.GENERATOR, key)
    signed = secp256r1.multiply(secp256r1.GENERATOR, nonce)
    assert point is not None
    assert signed is not None
    r = signed[0] % order
    s = pow(nonce, -1, order) * (digest + r * key) % order
    if not rng.randrange(8):
        # A signature whose point has an x above the order, for which a key is made.
        signed, s = large_point(rng), rng.randrange(1, order)
        r = signed[0] - order
        left = secp256r1.multiply(signed, s)
        right = secp256r1.multiply(secp256r1.GENERATOR, -digest % order)
        total = secp256r1.add(left, right)
        point = secp256r1.multiply(total, pow(r, -1, order))
        assert point is not None
    x, y = point
    match rng.randrange(12):
        case 0:
            s = order - s
        case 1:
            r = rng.choice((0, order, (r + order) % 2**256, TOP))
        case 2:
            s = rng.choice((0, order, (s + order) % 2**256, TOP))
        case 3:
            x, y = rng.choice(((0, 0), (x + field, y), (x, field - y), (x, y + field)))
        case 4:
            x, y = rng.randrange(field), rng.randrange(field)
    return odd_size(rng, words(digest, r, s, x % 2**256, y % 2**256))


def large_point(rng: Random) -> tuple[int, int]:
    order, field = secp256r1.ORDER, secp256r1.FIELD
    b = (secp256r1.GENERATOR[1] ** 2 - secp256r1.GENERATOR[0] ** 3) % field
    b = (b + 3 * secp256r1.GENERATOR[0]) % field
    while True:
        x = order + rng.randrange(1, 2**64)
        y = pow(x**3 - 3 * x + b, (field + 1) // 4, field)
        if secp256r1.is_on_curve(x, y):
            return x, y


def simple(rng: Random) -> bytes:
    return rng.randbytes(rng.choice((0, 1, 31, 32, 33, 55, 56, 64, 100, 300)))


def blake2f(rng: Random) -> bytes:
    rounds = rng.choice((0, 1, 10, 12, 13)).to_bytes(4, "big")
    last = bytes([rng.choice((0, 1, 0, 1, 2))])
    return odd_size(rng, rounds + rng.randbytes(208) + last)


MAKERS: dict[int, Callable[[Random], bytes]] = {
    0x1: ecrecover,
    0x2: simple,
    0x3: simple,
    0x4: simple,
    0x5: modexp,
    0x6: bn_add,
    0x7: bn_mul,
    0x8: bn_pairing,
    0x9: blake2f,
    0xA: point_evaluation,
    0xB: sums(bls_g1),
    0xC: products(bls_g1),
    0xD: sums(bls_g2),
    0xE: products(bls_g2),
    0xF: bls_pairing,
    0x10: maps(1),
    0x11: maps(2),
    0x100: p256verify,
}


def cases(precompile: int, count: int, seed: int = 1) -> Iterator[bytes]:
    """Return inputs of a precompile: a good one, nothing, and `count` others."""
    yield GOOD[precompile]
    yield b""
    rng = Random(f"{precompile} {seed}")
    for _ in range(count):
        yield spoiled(rng, MAKERS[precompile](rng))
