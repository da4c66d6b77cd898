"""Precompiles of the native backend against py-evm's and hashlib."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING, Any

import pytest
from eth.exceptions import OutOfGas, VMError
from eth_keys import keys
from eth_typing import Address
from hypothesis import given, settings
from hypothesis import strategies as st
from py_ecc import optimized_bn128 as bn128

from echidna_mcp.kernel.record import blank
from echidna_mcp_plugins.evm.asked import Question
from echidna_mcp_plugins.evm.precompiles import PRAGUE
from echidna_mcp_plugins.native.hashes import ripemd160, sha256
from echidna_mcp_plugins.native.machine import (
    FAULT_CAPACITY,
    FAULT_GAS,
    FAULT_HALT,
    FAULT_NONE,
    Machine,
)
from echidna_mcp_plugins.native.precompile_host import precompile_host
from echidna_mcp_plugins.native.precompiles import run_precompile

if TYPE_CHECKING:
    from collections.abc import Iterator

PADDING = 11
"""The input does not begin where the memory does."""

ECRECOVER, SHA256, RIPEMD160, IDENTITY, MODEXP, ECADD, ECMUL, PAIRING, BLAKE2F, KZG = (
    range(1, 11)
)


def machine(data: bytes, room: int = 1 << 12) -> Machine:
    m = blank(Machine)
    m.memory = bytearray(bytes(range(1, PADDING + 1)) + data + b"\xff" * 40)
    m.returned = bytearray(b"\xaa" * room)
    m.host = precompile_host(m)
    return m


def native(number: int, data: bytes, gas: int) -> tuple[int, int, bytes]:
    """Return fault, what is left of the gas, and output."""
    m = machine(data)
    left = run_precompile(m, number, PADDING, len(data), gas)
    assert m.returned_size == 0 or m.fault == FAULT_NONE
    return m.fault, left, bytes(m.returned[: m.returned_size])


def reference(number: int, data: bytes, gas: int) -> tuple[int, int, bytes]:
    """Return the same according to py-evm."""
    question: Any = Question(data, gas)
    try:
        PRAGUE[Address(number.to_bytes(20, "big"))](question)
    except OutOfGas:
        return FAULT_GAS, 0, b""
    except VMError:
        return FAULT_HALT, 0, b""
    return FAULT_NONE, question.gas, question.output


def assert_equal(number: int, data: bytes) -> None:
    """Compare with plenty of gas, exactly enough, and one too little."""
    fault, left, output = expected = reference(number, data, 10**7)
    assert native(number, data, 10**7) == expected
    cost = 10**7 - left
    if fault == FAULT_NONE:
        assert native(number, data, cost) == (FAULT_NONE, 0, output)
        assert native(number, data, cost - 1) == (FAULT_GAS, 0, b"")


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


def _word(value: int) -> bytes:
    return value.to_bytes(32, "big")


def _signatures() -> Iterator[bytes]:
    rng = random.Random(7)
    for _ in range(3):
        digest = rng.randbytes(32)
        signature = keys.PrivateKey(rng.randbytes(32)).sign_msg_hash(digest)
        v, r, s = signature.vrs
        good = digest + _word(v + 27) + _word(r) + _word(s)
        yield good
        yield good + b"beyond the end"
        yield good[:100]
        yield digest + _word(v) + _word(r) + _word(s)
        yield digest + _word(27) + _word(rng.getrandbits(256)) + _word(s)
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
    sizes = b"".join(_word(len(part)) for part in (base, exponent, modulus))
    data = sizes + base + exponent + modulus
    assert_equal(MODEXP, data[: draw.draw(st.integers(0, len(data)))])
    assert_equal(MODEXP, data)


def test_modexp_to_the_power_of_nothing_is_one() -> None:
    data = _word(0) + _word(0) + _word(1) + b"\x05"
    assert native(MODEXP, data, 200) == (FAULT_NONE, 0, b"\x01")


def _points() -> Iterator[tuple[int, bytes]]:
    def encoded(point: Any) -> bytes:
        x, y = bn128.normalize(point)
        return _word(x.n) + _word(y.n)

    g = bn128.G1
    twice = bn128.double(g)
    g2x, g2y = bn128.normalize(bn128.G2)
    second = b"".join(
        _word(int(c)) for c in (g2x.coeffs[1], g2x.coeffs[0], *g2y.coeffs[::-1])
    )
    yield ECADD, encoded(g) + encoded(twice)
    yield ECADD, encoded(g)
    yield ECADD, b""
    yield ECADD, _word(1) + _word(1)
    yield ECMUL, encoded(twice) + _word(12345)
    yield ECMUL, encoded(twice) + _word(2**256 - 1)
    yield ECMUL, _word(3) + _word(1)
    yield PAIRING, b""
    yield PAIRING, b"\0" * 191
    yield PAIRING, _word(1) * 6
    yield PAIRING, encoded(g) + second


@pytest.mark.parametrize(("number", "data"), list(_points()))
def test_curve_precompiles_equal_py_evm(number: int, data: bytes) -> None:
    assert_equal(number, data)


def test_point_evaluation_equals_py_evm() -> None:
    # The zero polynomial: commitment and proof are the point at infinity.
    infinity = b"\xc0" + bytes(47)
    versioned = b"\x01" + hashlib.sha256(infinity).digest()[1:]
    good = versioned + _word(5) + _word(0) + infinity + infinity
    assert native(KZG, good, 50_000)[0] == FAULT_NONE
    assert_equal(KZG, good)
    assert_equal(KZG, good[:-1])
    assert_equal(KZG, versioned + _word(5) + _word(1) + infinity + infinity)
    assert_equal(KZG, b"\x02" + good[1:])


@pytest.mark.parametrize("number", range(0x0B, 0x12))
def test_bls_precompiles_equal_py_evm(number: int) -> None:
    rng = random.Random(number)
    for size in (0, 64, 128, 160, 256, 288, 384, 512):
        assert_equal(number, bytes(size))
        assert_equal(number, rng.randbytes(size))
    assert_equal(number, (bytes(48 - 32) + b"\x01" * 48) * 2)


def test_output_without_room_is_a_matter_of_capacity() -> None:
    data = _word(1) + _word(1) + _word(40) + b"\x01" * 42
    m = machine(data, room=32)
    assert run_precompile(m, MODEXP, PADDING, len(data), 10**6) == 0
    assert m.fault == FAULT_CAPACITY


def test_host_does_not_keep_the_machine_alive() -> None:
    m = blank(Machine)
    host = precompile_host(m)
    del m
    with pytest.raises(AssertionError):
        host(ECRECOVER)
