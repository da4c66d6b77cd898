from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import pytest
from abi_strategies import parameters
from fuzz_support import (
    calls_in,
    inputs_of,
    interfaces,
    node_of,
    shrink,
    stream,
    tables_of,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from kernel_subset import Subset, SubsetError

import echidna_mcp.fuzz
from echidna_mcp.fuzz.layout import CALL_HEADER, MAX_CALL_BYTES
from echidna_mcp.fuzz.records import call_function
from echidna_mcp.fuzz.sequence import build_sequence
from echidna_mcp.fuzz.shrink import NO_MORE, UNCHANGED, shrink_candidate
from echidna_mcp.fuzz.tables import (
    FuzzTables,
    calldata_capacity,
    sequence_capacity,
)
from echidna_mcp.fuzz.tape import FAIL
from echidna_mcp.kernel.memory import words
from echidna_mcp.kernel.types import fields_of

PLAIN = {"kernels", "layout", "tables"}
"""Modules that are not compiled: constants, the builder of `FuzzTables`, the loader."""
FIELDS = {name: str(kind) for name, kind in fields_of(FuzzTables).items()}


def fuzz_modules() -> list[Any]:
    names = [m.name for m in pkgutil.iter_modules(echidna_mcp.fuzz.__path__)]
    return [importlib.import_module(f"echidna_mcp.fuzz.{name}") for name in names]


def whole_subset() -> Subset:
    subset = Subset(FIELDS)
    for module in fuzz_modules():
        if module.__name__.rpartition(".")[2] in PLAIN:
            subset.constants |= {
                name: value for name, value in vars(module).items() if name.isupper()
            }
        else:
            subset.add_module(module)
    subset.constants |= {"MASK64": (1 << 64) - 1, "MASK256": (1 << 256) - 1}
    return subset


@pytest.fixture(scope="module")
def checked() -> dict[str, Any]:
    subset = whole_subset()
    subset.check()
    return subset.checked()


def test_all_fuzzing_functions_stay_in_the_typed_subset():
    subset = whole_subset()
    subset.check()
    assert {"build_sequence", "shrink_candidate", "below"} <= set(subset.functions)
    assert len(subset.functions) > 80


@pytest.mark.parametrize(
    "body",
    [
        "x = [1, 2]\n    return at",
        "x = (at, at)\n    return at",
        "x = {at: at}\n    return at",
        "return sum(i for i in range(at))",
        "return min(at, 3)",
        "try:\n        return at\n    finally:\n        at = 1",
        "return at / 2",
        "return at ** 2",
        "return -at",
        "return 1.5",
        "return 'a'",
        "return int(at)",
        "return at.bit_length()",
        "f = lambda: at\n    return at",
        "if at:\n        return at\n    return 1",
        "return at + value",
        "return value",
        "value = at\n    return at",
        "return at if at > 1 else 2",
        "for i in range(at):\n        i = 3\n    return at",
        "for i in buf:\n        return at\n    return at",
        "with at:\n        return at",
        "at += 1\n    return at",
        "return buf[0:2]",
        "return buf[value]",
        "return other(at)",
        "return helper(value)",
        "return helper(at=at)",
        "import os\n    return at",
        "assert at\n    return at",
        "return 1 < at < 3",
        "return at is value",
        "raise ValueError",
        "x: u64 = at\n    return x",
        "return f'{at}'",
    ],
)
def test_the_subset_refuses(body: str):
    subset = Subset(FIELDS)
    source = (
        "def helper(at: u64) -> u64:\n    '''D.'''\n    return at\n"
        "def bad(at: u64, value: u256, buf: Bytes) -> u64:\n"
        f"    '''D.'''\n    {body}\n"
    )
    subset.add_source(source, {})
    with pytest.raises(SubsetError, match=r"^bad, "):
        subset.check()


@pytest.mark.parametrize(
    "source",
    [
        "X = [1]",
        "class A: pass",
        "def f(x: int) -> float:\n    '''D.'''\n    return 1.0",
        "def f(*x: u64) -> u64:\n    '''D.'''\n    return 1",
        "def f(x: u64 = 1) -> u64:\n    '''D.'''\n    return x",
        "import random",
        "@cache\ndef f(x: u64) -> u64:\n    '''D.'''\n    return x",
    ],
)
def test_the_subset_refuses_at_module_level(source: str):
    with pytest.raises(SubsetError):
        Subset(FIELDS).add_source(source, {})


@pytest.mark.parametrize(
    ("expression", "wrong"),
    [
        ("at - 1", 0),
        ("at + 1", (1 << 64) - 1),
        ("at * 2", 1 << 63),
        ("at << 1", 1 << 63),
        ("at >> at", 64),
        ("wrap64((at + 1) >> 1)", (1 << 64) - 1),
        ("wrap64(wrap256(at + 1))", (1 << 64) - 1),
    ],
)
def test_checked_functions_notice_what_does_not_fit(expression: str, wrong: int):
    subset = Subset(FIELDS)
    subset.add_source(
        f"def f(at: u64) -> u64:\n    '''D.'''\n    return {expression}\n", {}
    )
    subset.check()
    run = subset.checked()["f"]
    assert run(2) >= 0
    with pytest.raises(OverflowError):
        run(wrong)


@settings(max_examples=25, deadline=None)
@given(interfaces(), st.integers(0, 2**256 - 1), st.booleans())
def test_sequences_mean_the_same_with_checked_widths(
    checked: dict[str, Any], inputs: Any, seed: int, focused: bool
):
    tables = tables_of(
        *inputs,
        flags=[1] * len(inputs),
        seq_len=4,
        priority=[0] if focused else [],
        weights=words([1] * 14),
    )
    plain, watched = stream(seed), words([0, 0])
    checked["derive"](watched, seed, 0, 0, 1)
    assert plain == watched
    corpus, entries = bytearray(), []
    one = bytearray(sequence_capacity(4))
    two = bytearray(sequence_capacity(4))
    for count in range(12):
        table = words(entries or [0])
        end = build_sequence(tables, plain, corpus, table, count, one)
        assert end == checked["build_sequence"](
            tables, watched, corpus, table, count, two
        )
        assert one[:end] == two[:end]
        entries += [len(corpus), len(corpus) + end]
        corpus += one[:end]
    data = bytearray(calldata_capacity(tables.types))
    for at in calls_in(one, end):
        stop = checked["encode_call"](tables.types, tables.functions, one, at, data, 0)
        node = node_of(tables, call_function(one, at))
        tape = bytearray(MAX_CALL_BYTES)
        size = checked["decode_calldata"](tables.types, node, data, 4, stop, tape, 0)
        start = at + CALL_HEADER
        assert tape[:size] == one[start : start + size]


@settings(max_examples=25, deadline=None)
@given(st.lists(parameters(), min_size=1, max_size=2), st.integers(0, 2**64 - 1))
def test_shrinking_means_the_same_with_checked_widths(
    checked: dict[str, Any], inputs: Any, seed: int
):
    tables = tables_of(*inputs, flags=[1] * len(inputs), seq_len=3)
    best = bytearray(sequence_capacity(3))
    end = build_sequence(tables, stream(seed), bytearray(), words([0]), 0, best)
    one, two = bytearray(2 * end), bytearray(2 * end)
    index = 0
    while True:
        found = shrink_candidate(tables, best, end, index, one)
        assert found == checked["shrink_candidate"](tables, best, end, index, two)
        if found == NO_MORE:
            break
        if found != UNCHANGED:
            assert one[:found] == two[:found]
        index += 1 + index // 20


@settings(deadline=None)
@given(parameters(), st.binary(max_size=400), st.integers(0, 64))
def test_hostile_bytes_are_decoded_inside_their_bounds(
    checked: dict[str, Any], inputs: Any, data: bytes, at: int
):
    tables = tables_of(inputs)
    tape = bytearray(len(data) + 64)
    start = min(at, len(data))
    checked["decode_calldata"](
        tables.types, node_of(tables), bytearray(data), start, len(data), tape, 0
    )
    checked["is_canonical"](
        tables.types, node_of(tables), bytearray(data), start, len(data)
    )


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("string[]", [32, 1]),
        ("string[]", [32, 512, 512 * 32]),
        ("string[3]", [32, 96]),
        ("uint8[]", [32, 512]),
        ("uint8[4][]", [32, 2, 0, 0]),
        ("bytes", [32]),
        ("bytes", [32, 16384]),
    ],
)
def test_nothing_is_read_after_the_data(
    checked: dict[str, Any], name: str, numbers: list[int]
):
    tables = tables_of(inputs_of(name))
    data = bytearray(b"".join(number.to_bytes(32, "big") for number in numbers))
    tape = bytearray(len(data) + 32)
    run = checked["decode_calldata"]
    assert run(tables.types, 0, data, 0, len(data), tape, 0) == FAIL


def test_shrinking_to_the_end_stays_in_bounds(checked: dict[str, Any]):
    wide = inputs_of("uint256", "int8", "bytes", "string[]", "uint8[3][]")
    tables = tables_of(wide, flags=[1], seq_len=5, max_time_delay=1000)
    best = bytearray(sequence_capacity(5))
    end = build_sequence(tables, stream(5), bytearray(), words([0]), 0, best)
    result, _ = shrink(tables, bytes(best[:end]), lambda _, stop: stop > 0)
    out = bytearray(len(result) + 64)
    seen = 0
    while checked["shrink_candidate"](tables, result, len(result), seen, out) != (
        NO_MORE
    ):
        seen += 1
    assert len(list(calls_in(result, len(result)))) == 1
