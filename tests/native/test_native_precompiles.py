"""Precompiles of the native backend against py-evm's and hashlib."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING, Any

import pytest
from eth_keys import keys
from hypothesis import given, settings
from hypothesis import strategies as st
from precompile_calls import (
    BLAKE2F,
    ECADD,
    ECMUL,
    ECRECOVER,
    IDENTITY,
    KZG,
    MODEXP,
    PADDING,
    PAIRING,
    RIPEMD160,
    SHA256,
    assert_equal,
    machine,
    native,
    word,
)
from precompile_inputs import BLS_G1, GOOD
from py_ecc import optimized_bn128 as bn128

from echidna_mcp.kernel.language.record import blank
from echidna_mcp_plugins.native.precompiles.contracts import run_precompile
from echidna_mcp_plugins.native.precompiles.hashes import ripemd160, sha256
from echidna_mcp_plugins.native.precompiles.host import precompile_host
from echidna_mcp_plugins.native.state.machine import (
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    Machine,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

GENERATOR = int.from_bytes(BLS_G1[:64], "big")
"""Its x."""


@pytest.mark.parametrize("size", [*range(130), 1000, 4096])
def test_hashes_are_those_of_hashlib(size: int) -> None:
    data = random.Random(size).randbytes(size)
    memory = bytearray(b"\xee" * PADDING + data)
    out = bytearray(40)
    sha256(memory, PADDING, size, out, 3)
    assert out == b"\0" * 3 + hashlib.sha256(data).digest() + b"\0" * 5
    out = bytearray(40)
    ripemd160(memory, PADDING, size, out, 7)
    assert out[7:27] == hashlib.new("ripemd160", data).digest()


@given(st.sampled_from([SHA256, RIPEMD160, IDENTITY]), st.binary(max_size=200))
def test_simple_precompiles_equal_py_evm(number: int, data: bytes) -> None:
    assert_equal(number, data)


@settings(max_examples=40)
@given(
    st.integers(0, 40),
    st.binary(min_size=208, max_size=208),
    st.integers(0, 2),
    st.sampled_from([0, 0, 0, -1, 1]),
)
def test_blake2f_equals_py_evm(rounds: int, data: bytes, last: int, off: int) -> None:
    whole = rounds.to_bytes(4, "big") + data + bytes([last]) + b"\0"
    assert_equal(BLAKE2F, whole[: 213 + off])


def test_blake2f_charges_all_its_rounds_before_it_runs_one() -> None:
    data = b"\xff" * 4 + bytes(209)
    assert native(BLAKE2F, data, 2**32 - 2) == (FAULT_GAS, 0, b"")


def _signatures() -> Iterator[bytes]:
    rng = random.Random(7)
    for _ in range(3):
        digest = rng.randbytes(32)
        signature = keys.PrivateKey(rng.randbytes(32)).sign_msg_hash(digest)
        v, r, s = signature.vrs
        good = digest + word(v + 27) + word(r) + word(s)
        yield good
        yield good + b"beyond the end"
        yield good[:100]
        yield digest + word(v) + word(r) + word(s)
        yield digest + word(27) + word(rng.getrandbits(256)) + word(s)
    yield b""


@pytest.mark.parametrize("data", list(_signatures()))
def test_ecrecover_equals_py_evm(data: bytes) -> None:
    assert_equal(ECRECOVER, data)


@settings(max_examples=60)
@given(
    st.binary(max_size=40), st.binary(max_size=40), st.binary(max_size=40), st.data()
)
def test_modexp_equals_py_evm(
    base: bytes, exponent: bytes, modulus: bytes, draw: st.DataObject
) -> None:
    sizes = b"".join(word(len(part)) for part in (base, exponent, modulus))
    data = sizes + base + exponent + modulus
    assert_equal(MODEXP, data[: draw.draw(st.integers(0, len(data)))])
    assert_equal(MODEXP, data)


def test_modexp_to_the_power_of_nothing_is_one() -> None:
    data = word(0) + word(0) + word(1) + b"\x05"
    assert native(MODEXP, data, 200) == (FAULT_NONE, 0, b"\x01")


def _points() -> Iterator[tuple[int, bytes]]:
    def encoded(point: Any) -> bytes:
        x, y = bn128.normalize(point)
        return word(x.n) + word(y.n)

    g = bn128.G1
    twice = bn128.double(g)
    g2x, g2y = bn128.normalize(bn128.G2)
    second = b"".join(
        word(int(c)) for c in (g2x.coeffs[1], g2x.coeffs[0], *g2y.coeffs[::-1])
    )
    yield ECADD, encoded(g) + encoded(twice)
    yield ECADD, encoded(g)
    yield ECADD, b""
    yield ECADD, word(1) + word(1)
    yield ECMUL, encoded(twice) + word(12345)
    yield ECMUL, encoded(twice) + word(2**256 - 1)
    yield ECMUL, word(3) + word(1)
    yield PAIRING, b""
    yield PAIRING, b"\0" * 191
    yield PAIRING, word(1) * 6
    yield PAIRING, encoded(g) + second


@pytest.mark.parametrize(("number", "data"), list(_points()))
def test_curve_precompiles_equal_py_evm(number: int, data: bytes) -> None:
    assert_equal(number, data)


def test_point_evaluation_equals_py_evm() -> None:
    # The zero polynomial: commitment and proof are the point at infinity.
    infinity = b"\xc0" + bytes(47)
    versioned = b"\x01" + hashlib.sha256(infinity).digest()[1:]
    good = versioned + word(5) + word(0) + infinity + infinity
    assert native(KZG, good, 50_000)[0] == FAULT_NONE
    assert_equal(KZG, good)
    assert_equal(KZG, good[:-1])
    assert_equal(KZG, versioned + word(5) + word(1) + infinity + infinity)
    assert_equal(KZG, b"\x02" + good[1:])


@pytest.mark.parametrize("first", range(0x00, 0x100, 0x10))
def test_flags_of_compressed_points_are_those_of_the_reference(first: int) -> None:
    """A point is compressed, perhaps infinity, perhaps the other y: three bits."""
    for point in (bytes(47), bytes(46) + b"\x01", GENERATOR.to_bytes(48, "big")[1:]):
        head = first | (GENERATOR >> 376 if any(point[:46]) else 0)
        odd = bytes([head]) + point
        versioned = b"\x01" + hashlib.sha256(odd).digest()[1:]
        infinity = b"\xc0" + bytes(47)
        assert_equal(KZG, versioned + word(5) + word(0) + odd + infinity)
        versioned = b"\x01" + hashlib.sha256(infinity).digest()[1:]
        assert_equal(KZG, versioned + word(5) + word(0) + infinity + odd)


@pytest.mark.parametrize(
    ("number", "count"), [(0xB, 4), (0xD, 8), (0x10, 1), (0x11, 2)]
)
def test_coordinates_with_bits_too_many_are_refused(number: int, count: int) -> None:
    good = GOOD[number]
    for coordinate in range(count):
        for bit in (381, 382, 383, 384, 511):
            for base in (good, bytes(len(good))):
                changed = bytearray(base)
                changed[64 * coordinate + 63 - bit // 8] ^= 1 << bit % 8
                assert assert_equal(number, bytes(changed))[0] == FAULT_HALT


@pytest.mark.parametrize("number", range(0x0B, 0x12))
def test_bls_precompiles_equal_py_evm(number: int) -> None:
    rng = random.Random(number)
    for size in (0, 64, 128, 160, 256, 288, 384, 512):
        assert_equal(number, bytes(size))
        assert_equal(number, rng.randbytes(size))
    assert_equal(number, (bytes(48 - 32) + b"\x01" * 48) * 2)


def test_output_without_room_is_a_matter_of_capacity() -> None:
    data = word(1) + word(1) + word(40) + b"\x01" * 42
    m = machine(data, room=32)
    assert run_precompile(m, MODEXP, PADDING, len(data), 10**6) == 0
    assert m.fault == FAULT_CAPACITY


def test_host_does_not_keep_the_machine_alive() -> None:
    m = blank(Machine)
    host = precompile_host(m)
    del m
    with pytest.raises(AssertionError):
        host(ECRECOVER)
