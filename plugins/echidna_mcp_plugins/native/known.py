"""What a campaign knows of the blocks of a machine's programs, and of their edges."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from itertools import islice

from echidna_mcp.kernel.memory import load64
from echidna_mcp.views.coverage import CoverageMap
from echidna_mcp_plugins.native.edges import (
    EDGE_WORDS,
    edge_key,
    forget_edges,
    learn_edge,
)
from echidna_mcp_plugins.native.machine import (
    BLOCK_ENDINGS,
    BLOCK_KNOWN,
    BLOCK_LAST,
    BLOCK_ROW,
    BLOCK_START,
    PROGRAM_BLOCK_COUNT,
    PROGRAM_BLOCKS,
    PROGRAM_FINGERPRINT,
    PROGRAM_ROW,
    Machine,
)

_WORDS = BLOCK_ROW // 8
_MOST_KEYS = 65_536


class KnownCode:
    """Writes a coverage map into the columns `BLOCK_*` and into `Machine.edges`."""

    def __init__(self, machine: Machine, key: Callable[[int], str]) -> None:
        self._m = machine
        self._keys = ProgramKeys(machine, key)
        self._edges = KnownEdges(machine, self._keys)
        self._state: tuple[int, ...] | None = None
        self._depths = array("Q")
        self._endings = array("Q")

    def reset(self, known: CoverageMap, *, edges: bool) -> None:
        """Make `known`, and nothing else, what is known of all blocks.

        Args:
            known: only ever grows.
            edges: whether the same is wanted for edges.
        """
        m = self._m
        # Whatever makes the columns out of date changes one of these numbers.
        state = (
            m.forgotten,
            m.program_end,
            m.block_end,
            len(known.endings),
            sum(bits.bit_count() for bits in known.visited.values()),
        )
        if state != self._state:
            self._state = state
            self._compute(known)
        end = m.block_end // 8
        view = memoryview(m.blocks).cast("Q")
        view[BLOCK_KNOWN // 8 : end : _WORDS] = memoryview(self._depths)
        view[BLOCK_ENDINGS // 8 : end : _WORDS] = memoryview(self._endings)
        if edges:
            self._edges.reset(known)

    def _compute(self, known: CoverageMap) -> None:
        m = self._m
        rows = m.block_end // BLOCK_ROW
        self._depths, self._endings = (array("Q", bytes(8 * rows)) for _ in range(2))
        visited: dict[str, list[tuple[int, bytes]]] = {}
        for (key, depth), bits in known.visited.items():
            marks = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
            visited.setdefault(key, []).append((1 << depth, marks))
        endings: dict[str, dict[int, int]] = {}
        for key, counter, status in known.endings:
            by_counter = endings.setdefault(key, {})
            by_counter[counter] = by_counter.get(counter, 0) | 1 << status
        for program in range(PROGRAM_ROW, m.program_end, PROGRAM_ROW):
            key = self._keys.of(program)
            self._fill(program, visited.get(key, []), endings.get(key, {}))

    def _fill(
        self,
        program: int,
        visited: list[tuple[int, bytes]],
        endings: dict[int, int],
    ) -> None:
        m = self._m
        for row in blocks_of(m, program):
            number = row // BLOCK_ROW
            first = load64(m.blocks, row + BLOCK_START)
            self._depths[number] = sum(
                bit for bit, marks in visited if first < len(marks) and marks[first]
            )
            last = load64(m.blocks, row + BLOCK_LAST)
            self._endings[number] = endings.get(last, 0)


class KnownEdges:
    """Writes the edges of a coverage map into `Machine.edges`."""

    def __init__(self, machine: Machine, keys: ProgramKeys) -> None:
        self._m = machine
        self._keys = keys
        self._state: tuple[int, ...] | None = None
        self._entered = 0
        self._table = array("Q")
        self._count = 0
        self._blocks: dict[str, list[tuple[dict[int, int], dict[int, int]]]] = {}
        """For each code, by program: rows by their last and by their first instruction,
        as program counters."""

    def reset(self, known: CoverageMap) -> None:
        """Make the edges of `known`, which only ever grows, those that are known."""
        m = self._m
        state = (m.forgotten, m.program_end, m.block_end)
        fresh = state != self._state
        if fresh:
            self._state = state
            self._entered = 0
            self._find_blocks()
            forget_edges(m)
        else:
            m.edge_mask = len(self._table) // EDGE_WORDS - 1
            m.edge_count = self._count
            memoryview(m.edges)[: len(self._table)] = memoryview(self._table)
        if fresh or self._entered < len(known.edges):
            self._enter(known)
            self._table = array("Q", m.edges[: EDGE_WORDS * (m.edge_mask + 1)])
            self._count = m.edge_count

    def _enter(self, known: CoverageMap) -> None:
        for key, jump, target in islice(known.edges, self._entered, None):
            for lasts, starts in self._blocks.get(key, ()):
                if jump in lasts and target in starts:
                    learn_edge(self._m, edge_key(lasts[jump], starts[target]))
        self._entered = len(known.edges)

    def _find_blocks(self) -> None:
        m = self._m
        self._blocks.clear()
        for program in range(PROGRAM_ROW, m.program_end, PROGRAM_ROW):
            rows = blocks_of(m, program)
            lasts = {load64(m.blocks, row + BLOCK_LAST): row for row in rows}
            starts = {load64(m.blocks, row + BLOCK_START): row for row in rows}
            found = self._blocks.setdefault(self._keys.of(program), [])
            found.append((lasts, starts))


class ProgramKeys:
    """The coverage keys of rows of `programs`, remembered."""

    def __init__(self, machine: Machine, key: Callable[[int], str]) -> None:
        self._m = machine
        self._key = key
        self._keys: dict[tuple[int, int], str] = {}

    def of(self, program: int) -> str:
        """Return the key of a row."""
        # Rows are given to other programs once they are forgotten.
        identity = (program, load64(self._m.programs, program + PROGRAM_FINGERPRINT))
        key = self._keys.get(identity)
        if key is None:
            # A factory can deploy endlessly many codes.
            if len(self._keys) >= _MOST_KEYS:
                self._keys.clear()
            key = self._keys[identity] = self._key(program)
        return key


def blocks_of(m: Machine, program: int) -> range:
    """Return the rows of a program's blocks."""
    start = load64(m.programs, program + PROGRAM_BLOCKS)
    count = load64(m.programs, program + PROGRAM_BLOCK_COUNT)
    return range(start, start + count * BLOCK_ROW, BLOCK_ROW)
