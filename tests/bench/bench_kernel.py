"""Compiled kernels: what a start costs, what a call costs, and what they bring.

    python tests/bench/bench_kernel.py

Starts are measured in processes of their own, with a cache directory that is empty or
filled by the start before; processor time of the whole process but the interpreter.
"""

# The figures are its output.

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from statistics import median
from time import process_time

from echidna_mcp.abi.types import compile_types, parse_parameters
from echidna_mcp.fuzz.kernels.loading import PLAIN_KERNELS, Kernels, load_kernels
from echidna_mcp.fuzz.rng import PURPOSE_FUZZ, RNG_WORDS, derive, next64
from echidna_mcp.fuzz.tables import (
    FuzzTables,
    calldata_capacity,
    make_tables,
    sequence_capacity,
)
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.kernel.library.library import Library
from echidna_mcp.kernel.library.plan import Plan
from echidna_mcp.user_cache import user_cache

START = """
from time import process_time
begin = process_time()
from echidna_mcp.fuzz.kernels.loading import load_kernels
imported = process_time()
kernels = load_kernels()
loaded = process_time()
print(kernels.mode, loaded - begin, loaded - imported)
"""
STARTS = 3
REPEATS = 7


def starts() -> list[tuple[str, float, float]]:
    """Return (what, whole seconds, seconds without the imports)."""
    cold, cached = [], []
    for _ in range(STARTS):
        with tempfile.TemporaryDirectory() as directory:
            cold.append(_start(directory))
            cached.append(_start(directory))
    rows = [("cold", cold), ("from the cache", cached)]
    return [
        (name, median(whole for whole, _ in found), median(part for _, part in found))
        for name, found in rows
    ]


def _start(directory: str) -> tuple[float, float]:
    done = subprocess.run(
        [sys.executable, "-c", START],
        env={**os.environ, "ECHIDNA_MCP_CACHE": directory},
        capture_output=True,
        text=True,
        check=True,
    )
    mode, whole, part = done.stdout.split()
    assert mode == "compiled", done.stderr
    return float(whole), float(part)


def example() -> FuzzTables:
    """Return tables with one function of a token: (address, uint256)."""
    inputs = parse_parameters([{"type": "address"}, {"type": "uint256"}])
    program, nodes = compile_types([inputs])
    return make_tables(
        types=program,
        functions=words([nodes[0], 0, 0xA9059CBB]),
        senders=[0x10000, 0x20000, 0x30000],
        dictionary=range(100),
        addresses=[0x10000, 0x20000],
    )


def microseconds(action: Callable[[], object], times: int) -> float:
    """Return the processor time of one `action`, the best of some runs."""
    best = float("inf")
    for _ in range(REPEATS):
        begin = process_time()
        for _ in range(times):
            action()
        best = min(best, process_time() - begin)
    return best / times * 1e6


def actions(kernels: Kernels) -> dict[str, Callable[[], object]]:
    """Return what is measured: a sequence of 100 calls, and calldata of one call."""
    tables = example()
    rng, corpus, entries = words([0] * RNG_WORDS), bytearray(), words([])
    derive(rng, 1, 0, 0, PURPOSE_FUZZ)
    out = bytearray(sequence_capacity(tables.seq_len))
    PLAIN_KERNELS.build_sequence(tables, rng, corpus, entries, 0, out)
    data = bytearray(calldata_capacity(tables.types))
    sequence = bytearray(out)

    def build() -> int:
        return kernels.build_sequence(tables, rng, corpus, entries, 0, out)

    def encode() -> int:
        return kernels.encode_call(tables.types, tables.functions, sequence, 0, data, 0)

    return {"build_sequence": build, "encode_call": encode}


def main() -> None:
    """Print the figures."""
    for name, whole, part in starts():
        print(f"start, {name}: {whole:.2f} CPU s, {part:.3f} of it without imports")
    library = Library.load(Plan(functions=(next64,)), cache=user_cache())
    draw, stream = library.function(next64), words([1, 1])
    print(f"a call: {microseconds(lambda: draw(stream), 20_000):.2f} µs")
    fast, slow = actions(load_kernels()), actions(PLAIN_KERNELS)
    for name, compiled in fast.items():
        one = microseconds(compiled, 500)
        other = microseconds(slow[name], 20)
        print(
            f"{name}: plain {other:.1f} µs, compiled {one:.1f} µs: {other / one:.1f}x"
        )


if __name__ == "__main__":
    main()
