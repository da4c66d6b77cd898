"""Checked code reports every broken promise and touches nothing outside."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_modules import HEADER_LINES, Modes, functions_of, module_of

from echidna_mcp.kernel.compiler.unit import Unit
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.library.calling import KernelMemoryError

TEXT = """\
PRIMES = (2, 3, 5)
@record
class Box:
    data: Bytes
    row: Words
def get_byte(data: Bytes, at: u64) -> u64:
    return data[at]
def get_word(row: Words, at: u64) -> u64:
    return row[at]
def get32(data: Bytes, at: u64) -> u64:
    return load32(data, at)
def get64(data: Bytes, at: u64) -> u64:
    return load64(data, at)
def get256(data: Bytes, at: u64) -> u256:
    return load256(data, at)
def peek(data: Bytes, at: u64) -> u256:
    return peek256(data, at)
def put_byte(data: Bytes, at: u64) -> None:
    data[at] = 255
def put_word(row: Words, at: u64) -> None:
    row[at] = 255
def put32(data: Bytes, at: u64) -> None:
    store32(data, at, 255)
def put64(data: Bytes, at: u64) -> None:
    store64(data, at, 255)
def put256(data: Bytes, at: u64) -> None:
    store256(data, at, wrap256(255))
def poke(data: Bytes, at: u64) -> None:
    poke256(data, at, wrap256(255))
def wipe(data: Bytes, at: u64, size: u64) -> None:
    clear(data, at, size)
def move(data: Bytes, at: u64, start: u64, size: u64) -> None:
    copy(data, at, data, start, size)
def field_byte(box: Box, at: u64) -> u64:
    return box.data[at]
def field_word(box: Box, at: u64) -> u64:
    return box.row[at]
def local_word(at: u64) -> u64:
    row = local_words(4)
    return row[at]
def put_local(at: u64) -> u64:
    data = local_bytes(9)
    store64(data, at, 77)
    return load64(data, 1)
def prime(at: u64) -> u64:
    return PRIMES[at]
def helper(row: Words, at: u64) -> u64:
    return row[at]
def passed_on(at: u64) -> u64:
    row = local_words(4)
    chosen = row
    if at == 1:
        chosen = local_words(1)
    return helper(chosen, at)
def byte_value(data: Bytes, value: u64) -> None:
    data[0] = value
def half_value(data: Bytes, value: u64) -> None:
    store32(data, 0, value)
def rotate(a: u64, n: u64) -> u64:
    return rotate_left64(a, n)
def shift(a: u256, n: u64) -> u256:
    return signed_shift(a, n)
def left(a: u64, n: u64) -> u64:
    return a << n
def inside_wrap(a: u64) -> u64:
    return wrap64((a + 1) >> 1)
def narrow_wrap(a: u64) -> u64:
    return wrap64(wrap256(a + 1))
def after_the_trap(data: Bytes) -> u64:
    data[0] = 1 + load64(data, 1000)
    return data[0]
"""
LINES = {
    line.split("(")[0].removeprefix("def "): HEADER_LINES + number
    for number, line in enumerate(TEXT.splitlines(), 1)
}
SIZES = {
    "get_byte": 1,
    "get32": 4,
    "get64": 8,
    "get256": 32,
    "peek": 32,
    "put_byte": 1,
    "put32": 4,
    "put64": 8,
    "put256": 32,
    "poke": 32,
}
OFFSET = st.one_of(st.integers(0, 80), st.integers(2**64 - 80, 2**64 - 1))


@pytest.fixture(scope="module")
def code(tmp_path_factory: Any) -> ModuleType:
    return module_of(tmp_path_factory.mktemp("kernel"), TEXT)


@pytest.fixture(scope="module")
def modes(code: ModuleType) -> Modes:
    return Modes(functions_of(code))


@pytest.mark.parametrize("name", SIZES)
@settings(max_examples=50, deadline=None)
@given(st.integers(0, 70), OFFSET)
def test_bytes_are_touched_inside_only(
    code: ModuleType, modes: Modes, name: str, length: int, at: int
):
    plain = getattr(code, name)
    run = modes.checked.function(plain)
    data = bytearray(range(length))
    if at + SIZES[name] <= length:
        expected = bytearray(data)
        assert run(data, at) == plain(expected, at)
        assert data == expected
    else:
        with pytest.raises(KernelMemoryError) as caught:
            run(data, at)
        assert data == bytearray(range(length))
        place = f"{code.__file__}:{LINES[name] + 1} {name}: "
        assert str(caught.value) == place + "outside of the buffer (Bytes)"


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 9), OFFSET)
def test_words_are_touched_inside_only(
    code: ModuleType, modes: Modes, length: int, at: int
):
    row = words(list(range(100, 100 + length)))
    get, put = (
        modes.checked.function(getattr(code, f"{name}_word")) for name in ("get", "put")
    )
    box = code.Box(row=row, data=bytearray())
    field = modes.checked.function(code.field_word)
    if at < length:
        assert get(row, at) == field(box, at) == 100 + at
        put(row, at)
        assert row[at] == 255
    else:
        before = list(row)
        for run in (get, put):
            with pytest.raises(KernelMemoryError, match=r"buffer \(Words\)"):
                run(row, at)
        with pytest.raises(KernelMemoryError, match=r"buffer \(Words\)"):
            field(box, at)
        assert list(row) == before


@settings(max_examples=100, deadline=None)
@given(OFFSET, OFFSET, OFFSET)
def test_ranges_stay_inside(
    code: ModuleType, modes: Modes, at: int, start: int, size: int
):
    data, expected = bytearray(range(64)), bytearray(range(64))
    move = modes.checked.function(code.move)
    if at + size <= 64 and start + size <= 64:
        move(data, at, start, size)
        code.move(expected, at, start, size)
    else:
        with pytest.raises(KernelMemoryError, match="outside of the buffer"):
            move(data, at, start, size)
    assert data == expected
    wipe = modes.checked.function(code.wipe)
    if at + size <= 64:
        wipe(data, at, size)
        code.wipe(expected, at, size)
    else:
        with pytest.raises(KernelMemoryError, match="outside of the buffer"):
            wipe(data, at, size)
    assert data == expected


@pytest.mark.parametrize(
    ("name", "numbers", "reason"),
    [
        ("local_word", ((3,), (4,)), "outside of the buffer (Words)"),
        ("put_local", ((1,), (2,)), "outside of the buffer (Bytes)"),
        ("prime", ((2,), (3,)), "outside of the table PRIMES"),
        ("rotate", ((5, 63), (5, 64)), "a shift amount is not below 64"),
        ("shift", ((5, 255), (5, 256)), "a shift amount is not below 256"),
        ("left", ((1, 63), (2, 63)), "the result of << does not fit u64"),
        ("inside_wrap", ((5,), (2**64 - 1,)), "the result of + does not fit u64"),
        ("narrow_wrap", ((5,), (2**64 - 1,)), "the result of + does not fit u64"),
    ],
)
def test_promises_about_numbers(
    code: ModuleType, modes: Modes, name: str, numbers: Any, reason: str
):
    good, bad = numbers
    plain = getattr(code, name)
    for run in modes.both(plain):
        assert run(*good) == plain(*good)
    with pytest.raises(KernelMemoryError) as caught:
        modes.checked.function(plain)(*bad)
    assert str(caught.value).endswith(f"{name}: {reason}")
    assert modes.checked.function(plain)(*good) == plain(*good)


@pytest.mark.parametrize(("name", "bits"), [("byte_value", 8), ("half_value", 32)])
def test_stored_values_fit(code: ModuleType, modes: Modes, name: str, bits: int):
    run = modes.checked.function(getattr(code, name))
    data = bytearray(4)
    run(data, (1 << bits) - 1)
    assert data == b"\xff" * (bits // 8) + bytes(4 - bits // 8)
    with pytest.raises(KernelMemoryError, match=f"does not fit {bits} bits"):
        run(data, 1 << bits)


def test_lengths_are_passed_on(code: ModuleType, modes: Modes):
    run = modes.checked.function(code.passed_on)
    assert run(3) == 0
    for at in (1, 4):
        with pytest.raises(KernelMemoryError, match="helper: outside"):
            run(at)


def test_a_load_outside_gives_zero(code: ModuleType, modes: Modes):
    data = bytearray(b"\x09\x09")
    with pytest.raises(KernelMemoryError):
        modes.checked.function(code.after_the_trap)(data)
    assert data == b"\x01\x09"


def test_each_place_is_one_site(code: ModuleType):
    unit = Unit(checked=True)
    unit.export(code.move)
    assert unit.sites == [
        f"{code.__file__}:{LINES['move'] + 1} move: outside of the buffer (Bytes)"
    ]


def test_unchecked_units_have_no_sites(code: ModuleType):
    unit = Unit()
    for function in functions_of(code):
        unit.export(function)
    assert unit.sites == []
    assert "kernel_trap" not in unit.render()


def test_the_path_of_a_site_is_the_file(code: ModuleType):
    unit = Unit(checked=True)
    unit.export(code.left)
    assert Path(unit.sites[0].partition(":")[0]) == Path(str(code.__file__))
