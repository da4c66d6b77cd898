"""Compiled and checked kernels against the plain functions that they are made of."""

from __future__ import annotations

import copy
import os
import subprocess
import sys
from typing import Any

import pytest
from abi_strategies import parameters
from fuzz_support import calls_in, interfaces, node_of, stream, tables_of
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.errors import ConfigError
from echidna_mcp.fuzz.kernels.loading import PLAIN_KERNELS, Kernels, load_kernels
from echidna_mcp.fuzz.layout import CALL_HEADER, MAX_CALL_BYTES
from echidna_mcp.fuzz.records import call_function
from echidna_mcp.fuzz.shrink import NO_MORE, UNCHANGED
from echidna_mcp.fuzz.tables import (
    SEQUENCE_WEIGHTS,
    calldata_capacity,
    sequence_capacity,
)
from echidna_mcp.kernel.language.memory import words

SEQ_LEN = 4


@pytest.fixture(scope="module", params=["compiled", "checked"])
def kernels(request) -> Kernels:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ECHIDNA_MCP_KERNELS", request.param)
        return load_kernels()


def build_many(kernels: Kernels, tables: Any, seed: int) -> list[bytes]:
    """Build sequences that each join the corpus of the next."""
    rng, corpus, entries = stream(seed), bytearray(), words([])
    # What generation leaves there is not for the next run.
    tables = copy.deepcopy(tables)
    out = bytearray(sequence_capacity(SEQ_LEN))
    built = []
    for count in range(12):
        end = kernels.build_sequence(tables, rng, corpus, entries, count, out)
        entries.extend((len(corpus), len(corpus) + end))
        corpus += out[:end]
        built.append(bytes(out[:end]))
    built.append(rng.tobytes())
    return built


@settings(max_examples=40)
@given(interfaces(), st.integers(0, 2**256 - 1), st.booleans())
def test_sequences_are_the_same(kernels, inputs, seed, focused):
    tables = tables_of(
        *inputs,
        flags=[1] * len(inputs),
        seq_len=SEQ_LEN,
        priority=[0] if focused else [],
        weights=words([1] * SEQUENCE_WEIGHTS),
    )
    assert build_many(kernels, tables, seed) == build_many(PLAIN_KERNELS, tables, seed)


@settings(max_examples=40)
@given(interfaces(), st.integers(0, 2**64 - 1))
def test_calldata_is_the_same_and_comes_back(kernels, inputs, seed):
    tables = tables_of(*inputs, seq_len=SEQ_LEN)
    sequence = bytearray(build_many(kernels, tables, seed)[-2])
    one = bytearray(calldata_capacity(tables.types))
    two = bytearray(calldata_capacity(tables.types))
    tape = bytearray(MAX_CALL_BYTES)
    for at in calls_in(sequence, len(sequence)):
        arguments = tables.types, tables.functions, sequence, at
        end = kernels.encode_call(*arguments, one, 0)
        assert end == PLAIN_KERNELS.encode_call(*arguments, two, 0)
        assert one[:end] == two[:end]
        node = node_of(tables, call_function(sequence, at))
        size = kernels.decode_calldata(tables.types, node, one, 4, end, tape, 0)
        start = at + CALL_HEADER
        assert tape[:size] == sequence[start : start + size]


@settings(max_examples=60)
@given(parameters(), st.binary(max_size=400), st.integers(0, 64))
def test_hostile_calldata_means_the_same(kernels, inputs, data, at):
    tables = tables_of(inputs)
    found = []
    for each in (kernels, PLAIN_KERNELS):
        tape = bytearray(len(data) + 64)
        given_ = tables.types, node_of(tables), bytearray(data), min(at, len(data))
        found.append((each.decode_calldata(*given_, len(data), tape, 0), tape))
    assert found[0] == found[1]


@settings(max_examples=25)
@given(st.lists(parameters(), min_size=1, max_size=2), st.integers(0, 2**64 - 1))
def test_shrink_candidates_are_the_same(kernels, inputs, seed):
    tables = tables_of(*inputs, flags=[1] * len(inputs), seq_len=SEQ_LEN)
    best = bytearray(build_many(kernels, tables, seed)[0])
    end = len(best)
    one, two = bytearray(2 * end), bytearray(2 * end)
    index = found = 0
    while found != NO_MORE:
        found = kernels.shrink_candidate(tables, best, end, index, one)
        assert found == PLAIN_KERNELS.shrink_candidate(tables, best, end, index, two)
        if found not in (NO_MORE, UNCHANGED):
            assert one[:found] == two[:found]
        index += 1 + index // 20


@settings(max_examples=40)
@given(parameters(), st.integers(0, 2**64 - 1), st.integers(0, 2**256 - 1))
def test_open_arguments_are_filled_with_the_same(kernels, inputs, seed, holes):
    tables = tables_of(inputs, seq_len=1)
    record = bytearray(build_many(kernels, tables, seed)[0])
    results = []
    for each in (kernels, PLAIN_KERNELS):
        rng, out = stream(seed), bytearray(MAX_CALL_BYTES)
        end = each.fill_arguments(tables, rng, holes, record, 0, out, 0)
        results.append((end, out[:end], rng))
    assert results[0] == results[1]


def test_a_mode_that_does_not_exist_is_refused(monkeypatch):
    monkeypatch.setenv("ECHIDNA_MCP_KERNELS", "fast")
    with pytest.raises(ConfigError, match="compiled, checked, plain"):
        load_kernels()


def test_plain_mode_compiles_nothing(monkeypatch):
    monkeypatch.setenv("ECHIDNA_MCP_KERNELS", "plain")
    assert load_kernels() is PLAIN_KERNELS


@pytest.mark.parametrize(
    "obstacle",
    [
        "sys.modules['llvmlite'] = None",
        "import llvmlite.binding as b; b.get_process_triple = lambda: 'pdp11-dec'",
    ],
)
def test_where_nothing_can_be_compiled_kernels_are_plain_and_it_says_so(obstacle):
    script = (
        f"import sys; {obstacle}\n"
        "from echidna_mcp.fuzz.kernels.loading import load_kernels\n"
        "print(load_kernels().mode, load_kernels().mode)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "plain plain\n"
    assert done.stderr.count("runs as plain Python") == 1


def test_nothing_is_parsed_beside_the_imports_of_another_thread(tmp_path):
    """Two threads that parse at once fail: SystemError (`kernel.compiler.source`)."""
    script = (
        "import ast\n"
        "ast.parse = lambda *_, **__: print('parsed')\n"
        "from echidna_mcp.fuzz.kernels.loading import kernels_loading\n"
        "with kernels_loading():\n"
        "    print('loading')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "ECHIDNA_MCP_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "loading\n"
    assert done.stderr == ""
