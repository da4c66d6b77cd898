from __future__ import annotations

import copy
import ctypes
import gc
import pickle
import weakref
from array import array
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.arena import arena
from echidna_mcp.kernel.language.memory import (
    Bytes,
    Words,
    u8,
    u16,
    u32,
    u64,
    u128,
    u256,
    u512,
    words,
)
from echidna_mcp.kernel.language.record import blank, record
from echidna_mcp.kernel.language.types import fields_of, offsets


@record
class Inner:
    """A record that another one refers to."""

    number: u64


@record
class Everything:
    """A field of every type, in an order that shows wrong offsets."""

    tiny: u8
    name: Bytes
    wide: u256
    short: u16
    table: Words
    huge: u512
    middle: u32
    double: u128
    inner: Inner
    plain: u64
    ask: Callable[[u64], u64]


INTEGERS = {
    "tiny": 8,
    "short": 16,
    "middle": 32,
    "plain": 64,
    "double": 128,
    "wide": 256,
    "huge": 512,
}


def raw(instance: Any, name: str) -> bytes:
    """The bytes of a field, found by the layout that the compiler uses."""
    fields = fields_of(type(instance))
    starts, size = offsets(fields.values())
    assert ctypes.sizeof(instance) == size
    start = starts[list(fields).index(name)]
    return bytes(memoryview(instance).cast("B"))[start:][: fields[name].size]


def word_of(instance: Any, name: str, index: int = 0) -> int:
    return int.from_bytes(raw(instance, name)[8 * index :][:8], "little")


def address_of(buffer: Any) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(buffer))


@given(st.data())
def test_integers_lie_in_the_struct_little_endian(data):
    values = {n: data.draw(st.integers(0, 2**b - 1)) for n, b in INTEGERS.items()}
    made = blank(Everything)
    for name, value in values.items():
        setattr(made, name, value)
    for name, value in values.items():
        assert getattr(made, name) == value
        assert int.from_bytes(raw(made, name), "little") == value


def test_integers_that_other_code_wrote_are_read_back():
    made = blank(Everything)
    ctypes.memset(ctypes.addressof(made), 0x5A, ctypes.sizeof(made))
    assert made.plain == 0x5A5A5A5A5A5A5A5A
    assert made.wide == int.from_bytes(b"\x5a" * 32, "little")


def test_fields_that_are_left_out_are_zero_and_empty():
    made = blank(Everything)
    assert all(getattr(made, name) == 0 for name in INTEGERS)
    assert len(made.name) == len(made.table) == 0
    assert made.inner is None
    with pytest.raises(TypeError, match=r"Everything\.ask is not set"):
        made.ask(1)


def test_a_field_that_does_not_exist_is_refused():
    with pytest.raises(TypeError, match="has no field colour"):
        Everything(colour=1)


@pytest.mark.parametrize(
    "buffer",
    [bytearray(b"abc"), memoryview(bytearray(b"abc")), array("B", b"abc"), arena(3)],
)
def test_bytes_are_kept_and_shared(buffer):
    made = Everything(name=buffer)
    assert made.name is buffer
    assert word_of(made, "name") == address_of(buffer)
    assert word_of(made, "name", 1) == 3


@pytest.mark.parametrize(
    "buffer", [words([1, 2, 3]), memoryview(words([1, 2, 3])), arena(24).cast("Q")]
)
def test_the_length_of_words_counts_words(buffer):
    made = Everything(table=buffer)
    assert made.table is buffer
    assert word_of(made, "table") == address_of(buffer)
    assert word_of(made, "table", 1) == 3


@pytest.mark.parametrize(
    "values",
    [
        {"name": b"read-only"},
        {"name": words([1])},
        {"name": "text"},
        {"name": None},
        {"name": memoryview(bytearray(8))[::2]},
        {"table": bytearray(8)},
        {"table": [1, 2]},
        {"table": memoryview(bytes(8)).cast("Q")},
    ],
)
def test_what_is_no_writable_buffer_of_the_right_items_is_refused(values):
    (name,) = values
    with pytest.raises(TypeError, match=rf"Everything\.{name}: .* is no "):
        Everything(**values)


def test_a_buffer_of_a_record_can_not_be_resized_until_the_record_lets_go():
    buffer = bytearray(8)
    made = Everything(name=buffer)
    with pytest.raises(BufferError):
        buffer.append(1)
    made.name = bytearray(4)
    buffer.append(1)
    assert word_of(made, "name", 1) == 4


def test_a_record_refers_to_another():
    inner = Inner(number=7)
    made = Everything(inner=inner)
    assert made.inner is inner
    assert word_of(made, "inner") == ctypes.addressof(inner)


def test_a_callback_is_a_python_function_and_an_address():
    def double(value: int) -> int:
        return value * 2

    made = Everything(ask=double)
    assert made.ask is double
    native = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(word_of(made, "ask"))
    assert native(21) == 42


def test_a_copy_shares_the_buffers_and_a_deep_copy_does_not():
    made = Everything(name=bytearray(b"abc"), plain=5, wide=2**255)
    shallow, deep = copy.copy(made), copy.deepcopy(made)
    made.name[0] = 0
    made.plain = 6
    assert (shallow.name, deep.name) == (bytearray(b"\0bc"), bytearray(b"abc"))
    assert shallow.plain == deep.plain == 5
    assert deep.wide == 2**255


def test_tables_are_pickled():
    made = FuzzTables(
        **{
            name: {"u64": 3, "u256": 2**200, "Bytes": bytearray(b"xyz")}.get(
                str(kind), words([2**63])
            )
            for name, kind in fields_of(FuzzTables).items()
        }
    )
    again = pickle.loads(pickle.dumps(made))
    for name in fields_of(FuzzTables):
        assert getattr(again, name) == getattr(made, name)


def test_a_record_shows_its_numbers():
    assert repr(Inner(number=7)) == "Inner(number=7)"


def test_a_record_frees_its_buffers():
    class Watched(bytearray):
        pass

    buffer = Watched(8)
    gone = weakref.ref(buffer)
    made = Everything(name=buffer)
    gc.disable()
    try:
        del buffer, made
        assert gone() is None
    finally:
        gc.enable()


def test_an_annotation_that_names_no_type_is_refused(monkeypatch):
    module = ModuleType("somewhere")
    monkeypatch.setitem(__import__("sys").modules, "somewhere", module)
    source = "class Wrong:\n    number: float\n"
    namespace = {"__name__": "somewhere"}
    exec("from __future__ import annotations\n" + source, namespace)
    with pytest.raises(TypeError, match=r"Wrong\.number: float is no type"):
        record(namespace["Wrong"])


def test_an_arena_is_zeroed_and_far_larger_than_what_is_touched():
    memory = arena(1 << 36)
    assert memory[0] == memory[(1 << 36) - 1] == 0
    memory[1 << 35] = 7
    table = memory.cast("Q")
    assert table[1 << 32] == 7
    assert len(table) == 1 << 33


def test_an_arena_of_nothing_is_a_buffer():
    assert len(Everything(name=arena(0)).name) == 0
