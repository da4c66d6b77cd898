"""What is known of blocks and edges is what the campaign knows, in each task."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from campaigns import small_config, started
from extreme_contracts import BREEDING
from native_backends import native
from solc import compile_solidity

from echidna_mcp.kernel.language.memory import load64
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.views.coverage import CoverageMap
from echidna_mcp_plugins.native import searcher as searcher_module
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.code.edges import (
    EDGE_WORDS,
    KEY_MASK,
    KNOWN_EDGE,
    edge_key,
)
from echidna_mcp_plugins.native.host.capacity import Capacity
from echidna_mcp_plugins.native.search import known as known_module
from echidna_mcp_plugins.native.search.known import KnownCode, blocks_of
from echidna_mcp_plugins.native.searcher import NativeSearcher
from echidna_mcp_plugins.native.state.machine import (
    BLOCK_ENDINGS,
    BLOCK_KNOWN,
    BLOCK_LAST,
    BLOCK_PROGRAM,
    BLOCK_ROW,
    BLOCK_START,
    PROGRAM_ROW,
    Machine,
)

FACTORY = BREEDING.replace(
    "count %= 10001;", "uint256 salt = count; count %= 20;"
).replace(
    "i < count; i++) last = new Child(made++);",
    "i < count; i++) last = new Child(uint256(keccak256(abi.encode(salt, made++))));",
)
"""Makes contracts with code of their own for each argument."""

Column = dict[int, int]


def columns_by_definition(
    searcher: NativeSearcher, m: Machine, known: CoverageMap
) -> tuple[Column, Column]:
    """Return what is known of each block, looked up one by one."""
    depths, endings = {}, {}
    keys: dict[int, str] = {}
    for row in range(BLOCK_ROW, m.block_end, BLOCK_ROW):
        program = load64(m.blocks, row + BLOCK_PROGRAM)
        key = keys.setdefault(program, searcher._key(program))
        start, last = (load64(m.blocks, row + at) for at in (BLOCK_START, BLOCK_LAST))
        depths[row] = sum(
            1 << depth
            for (code, depth), bits in known.visited.items()
            if code == key and bits >> 8 * start & 1
        )
        endings[row] = sum(
            1 << status
            for code, counter, status in known.endings
            if code == key and counter == last
        )
    return depths, endings


def edges_by_definition(
    searcher: NativeSearcher, m: Machine, known: CoverageMap
) -> set[int]:
    """Return the keys of all pairs of blocks that are known edges."""
    found = set()
    for program in range(PROGRAM_ROW, m.program_end, PROGRAM_ROW):
        code = searcher._key(program)
        rows = blocks_of(m, program)
        lasts = {load64(m.blocks, row + BLOCK_LAST): row for row in rows}
        starts = {load64(m.blocks, row + BLOCK_START): row for row in rows}
        found.update(
            edge_key(lasts[jump], starts[target])
            for key, jump, target in known.edges
            if key == code and jump in lasts and target in starts
        )
    return found


def column(m: Machine, at: int) -> Column:
    rows = range(BLOCK_ROW, m.block_end, BLOCK_ROW)
    return {row: load64(m.blocks, row + at) for row in rows}


def known_edges(m: Machine) -> set[int]:
    words = m.edges[: EDGE_WORDS * (m.edge_mask + 1) : EDGE_WORDS]
    assert sum(word != 0 for word in words) == m.edge_count
    return {word & KEY_MASK for word in words if word & KNOWN_EDGE}


@pytest.fixture
def resets(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Compare after each reset; return programs and times forgotten at each."""
    seen: list[tuple[int, int]] = []

    class Compared(KnownCode):
        def reset(self, known: CoverageMap, *, edges: bool, **wanted: bool) -> None:
            super().reset(known, edges=edges, **wanted)
            m = self._m
            searcher = self._keys._key.__self__
            depths, endings = columns_by_definition(searcher, m, known)
            assert column(m, BLOCK_KNOWN) == depths
            assert column(m, BLOCK_ENDINGS) == endings
            if edges:
                assert known_edges(m) == edges_by_definition(searcher, m, known)
            seen.append((m.program_end // PROGRAM_ROW, m.forgotten))

    monkeypatch.setattr(searcher_module, "KnownCode", Compared)
    return seen


def small_machine() -> BackendPlugin:
    """Return the native backend with room for few programs: it often forgets them."""
    create = partial(NativeBackend, capacity=Capacity(programs=14 << 10))
    plugin = native()
    return BackendPlugin(plugin.name, create, search=plugin.search)


@pytest.mark.solc
@pytest.mark.parametrize("edges", [False, True])
@pytest.mark.parametrize("executor", ["inline", "threads:2"])
@pytest.mark.parametrize("room", ["much", "little"])
def test_it_is_told_of_programs_as_they_come_and_go(
    tmp_path, resets, edges, executor, room
):
    program = compile_solidity(FACTORY, "Breeding")
    config = small_config(
        workers=2,
        seq_len=20,
        round_budget=12_000,
        edges=edges,
        test_max_gas=2_000_000,
    )
    backend = native() if room == "much" else small_machine()
    with started(tmp_path, program, config, executor, backend) as running:
        running.rounds(12)
        assert not [each for each in running.events if each.type == "TaskAbandoned"]
    assert len(resets) == 24
    assert len({programs for programs, _ in resets}) > 4
    forgotten = {times for _, times in resets}
    assert len(forgotten) > 1 if room == "little" else forgotten == {0}


@pytest.mark.solc
def test_nothing_is_looked_at_twice(tmp_path, monkeypatch):
    filled: list[int] = []

    class Counting(KnownCode):
        def _fill(self, program: int, marks: known_module.KnownMarks) -> None:
            filled.append(program)
            super()._fill(program, marks)

    monkeypatch.setattr(searcher_module, "KnownCode", Counting)
    program = compile_solidity(FACTORY, "Breeding")
    config = small_config(workers=1, seq_len=20, round_budget=12_000)
    config = replace(config, climbing=False, states=False, broods=False)
    with started(tmp_path, program, config, "inline", native()) as running:
        running.rounds(3)
        known = running.views.coverage.points
        filled.clear()
        running.rounds(20)
        grown = running.views.coverage.points - known
    # One program may be filled again when its code gets more coverage.
    assert len(filled) > 50
    assert len(filled) <= len(set(filled)) * (1 + grown)
    if not grown:
        assert len(filled) == len(set(filled))
