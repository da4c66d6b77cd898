"""Finds the superinstructions of the native interpreter; a developer's tool.

Decodes contracts, counts which neighbours are most frequent, makes them one, and counts
again. It writes `native/fusions.json`. The contracts that other benchmarks measure are
left out. Run it after a change of the tokens: `python tests/bench/mine_fusions.py`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from corpus_contracts import SOLIDITY, compile_corpus

from echidna_mcp.evm.backend import BackendConfig
from echidna_mcp.kernel.language.memory import load64, words
from echidna_mcp_plugins.native.code import decode, fusion
from echidna_mcp_plugins.native.code.fusion import trie
from echidna_mcp_plugins.native.code.programs import intern_code
from echidna_mcp_plugins.native.host.world import new_machine
from echidna_mcp_plugins.native.opcodes.isa import instruction_table
from echidna_mcp_plugins.native.state.machine import (
    BLOCK_ROW,
    FAULT_NONE,
    PROGRAM_STREAM,
    Machine,
)
from echidna_mcp_plugins.native.state.rules import Fork

LEFT_OUT = {
    "Arithmetic",
    "Assembly",  # does not compile with --optimize
    "Counter",
    "KeccakChain",
    "StorageHeavy",
    "Token",
    "VaultHandler",
}
SETTINGS = ("", "--optimize", "--optimize --via-ir")
Run = tuple[int, ...]


def codes() -> set[bytes]:
    """Return runtime and creation codes of all contracts, with several settings."""
    names = tuple(name for name in SOLIDITY if name not in LEFT_OUT)
    found: set[bytes] = set()
    for settings in SETTINGS:
        for contract in compile_corpus(names, settings).contracts:
            if contract.name not in LEFT_OUT:
                found |= {contract.runtime_code, contract.creation_code}
    return {code for code in found if code}


def machine() -> Machine:
    """Return a machine that decodes without superinstructions."""
    m = new_machine(BackendConfig(fork="osaka"))
    m.instructions = words(instruction_table(Fork.OSAKA))
    m.fusions = words(trie([]))
    m.handlers = words(list(range(decode.TOKENS)))
    return m


def sequences(m: Machine, code: bytes) -> Iterable[Run]:
    """Yield the tokens of each block."""
    program = intern_code(m, bytearray(code), 0, len(code))
    decode.decode(m, program)
    assert m.fault == FAULT_NONE
    at = load64(m.programs, program + PROGRAM_STREAM)
    block: list[int] = []
    while at < m.stream_end:
        token = m.stream[at]
        if token == decode.BLOCK and block:
            yield tuple(block)
            block = []
        block.append(token)
        at += 1 + decode.immediate_words(token)
    yield tuple(block)


def mine(blocks: Counter[Run], count: int, longest: int, least: int) -> list[Run]:
    """Return runs of tokens, the most useful first."""
    parts: dict[tuple[Run, ...], int] = {
        tuple((token,) for token in block): times for block, times in blocks.items()
    }
    found: list[Run] = []
    while len(found) < count:
        pairs: Counter[tuple[Run, Run]] = Counter()
        for sequence, times in parts.items():
            for left, right in pairwise(sequence):
                if len(left) + len(right) <= longest:
                    pairs[left, right] += times
        (left, right), times = max(pairs.items(), key=lambda item: (item[1], item[0]))
        if times < least:
            break
        if left + right not in found:
            found.append(left + right)
        merged: Counter[tuple[Run, ...]] = Counter()
        for sequence, times_seen in parts.items():
            merged[_joined(sequence, left, right)] += times_seen
        parts = dict(merged)
    return found


def _joined(sequence: tuple[Run, ...], left: Run, right: Run) -> tuple[Run, ...]:
    out: list[Run] = []
    for part in sequence:
        # A run that was made just now is longer than `left`.
        if out and part == right and out[-1] == left:
            out[-1] = left + right
        else:
            out.append(part)
    return tuple(out)


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--longest", type=int, default=8)
    parser.add_argument("--least", type=int, default=20)
    arguments = parser.parse_args()
    blocks: Counter[Run] = Counter()
    m = machine()
    for code in sorted(codes()):
        m.stream_end, m.block_end = 1, BLOCK_ROW
        blocks.update(sequences(m, code))
    tokens = sum(len(block) * times for block, times in blocks.items())
    print(f"{tokens} tokens in {sum(blocks.values())} blocks", flush=True)
    found = mine(blocks, arguments.count, arguments.longest, arguments.least)
    lines = ",\n".join(json.dumps(run) for run in found)
    target = Path(fusion.__file__).parent / "fusions.json"
    target.write_text(f"[\n{lines}\n]\n", "utf-8")
    print(f"{len(found)} superinstructions in {target.name}")


if __name__ == "__main__":
    main()
