"""What the campaign knows: blocks and edges of codes, and states."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from echidna_mcp.kernel.language.memory import load64
from echidna_mcp.views.coverage import MOST_OF_SORT, CodeKey, CoverageMap, Ending
from echidna_mcp_plugins.native.code.edges import (
    EDGE_WORDS,
    edge_key,
    forget_edges,
    learn_edge,
)
from echidna_mcp_plugins.native.state.known_states import (
    STATE_TABLE,
    learn_state,
    state_key,
)
from echidna_mcp_plugins.native.state.machine import (
    BLOCK_ENDINGS,
    BLOCK_KNOWN,
    BLOCK_LAST,
    BLOCK_PROGRAM,
    BLOCK_ROW,
    BLOCK_START,
    PROGRAM_BLOCK_COUNT,
    PROGRAM_BLOCKS,
    PROGRAM_FINGERPRINT,
    Machine,
)

_WORDS = BLOCK_ROW // 8
_MOST_KEYS = 65_536


class KnownCode:
    """Writes a coverage map into the columns `BLOCK_*`, `Machine.edges` and `states`.

    A factory of contracts has thousands of programs, and new ones in every task. So
    what was written is kept, and only what is new is looked at: blocks, and what is
    known of a code. All is done anew after programs were forgotten.

    Attributes:
        states: writes the states.
    """

    def __init__(self, machine: Machine, key: Callable[[int], str]) -> None:
        self._m = machine
        self._keys = ProgramKeys(machine, key)
        self._edges = KnownEdges(machine)
        self.states = StateTable(machine, self._keys)
        self._forgotten = -1
        self._depths = array("Q")
        self._endings = array("Q")
        self._codes: dict[str, KnownMarks] = {}
        self._visited: dict[tuple[CodeKey, int], int] = {}
        """As it was at the last reset."""
        self._ended: set[Ending] = set()
        """Likewise."""

    def reset(
        self,
        known: CoverageMap,
        *,
        edges: bool,
        states: bool,
        mappings: bool,
        pairs: bool,
    ) -> None:
        """Make `known`, and nothing else, what is known of all blocks.

        Args:
            known: only ever grows.
            edges: whether the same is wanted for edges.
            states: whether states are news.
            mappings: whether those of mappings are, too.
            pairs: whether those of two words are.
        """
        m = self._m
        if self._forgotten != m.forgotten:
            self._forgotten = m.forgotten
            self._depths, self._endings = (array("Q", bytes(8)) for _ in range(2))
            self._forget_programs()
        for key in self._grown(known):
            marks = self._codes[key]
            marks.layouts.clear()
            for program in marks.programs:
                self._fill(program, marks)
        for program, key in self._new_programs():
            marks = self._codes.setdefault(key, KnownMarks())
            marks.programs.append(program)
            self._fill(program, marks)
            self._edges.add_program(key, blocks_of(m, program))
        # Tasks add to what is known while they run. To copy two columns back takes less
        # than to remember what each of them has added.
        end = m.block_end // 8
        view = memoryview(m.blocks).cast("Q")
        view[BLOCK_KNOWN // 8 : end : _WORDS] = memoryview(self._depths)
        view[BLOCK_ENDINGS // 8 : end : _WORDS] = memoryview(self._endings)
        if edges:
            self._edges.reset(known)
        self.states.reset(known, wanted=(states, mappings, pairs))

    def _forget_programs(self) -> None:
        for marks in self._codes.values():
            marks.programs.clear()
            marks.layouts.clear()
        # Of the endlessly many codes of a factory nothing may be known.
        self._codes = {
            key: marks
            for key, marks in self._codes.items()
            if marks.visited or marks.endings
        }
        self._edges.forget()

    def _grown(self, known: CoverageMap) -> list[CodeKey]:
        """Take in what is new in `known`; return of which codes."""
        keys: dict[CodeKey, None] = {}
        for place, bits in known.visited.items():
            if self._visited.get(place) != bits:
                self._visited[place] = bits
                key, depth = place
                keys[key] = None
                marks = bits.to_bytes((bits.bit_length() + 7) // 8, "little")
                self._codes.setdefault(key, KnownMarks()).visited[1 << depth] = marks
        if len(known.endings) != len(self._ended):
            for key, counter, status in known.endings - self._ended:
                keys[key] = None
                endings = self._codes.setdefault(key, KnownMarks()).endings
                endings[counter] = endings.get(counter, 0) | 1 << status
            self._ended = set(known.endings)
        return list(keys)

    def _new_programs(self) -> Iterator[tuple[int, CodeKey]]:
        """Yield programs, with their keys, whose blocks have no columns yet.

        The columns have been made as long as it takes.
        """
        m = self._m
        number, count = len(self._depths), m.block_end // BLOCK_ROW
        for column in (self._depths, self._endings):
            column.frombytes(bytes(8 * (count - number)))
        while number < count:
            program = load64(m.blocks, number * BLOCK_ROW + BLOCK_PROGRAM)
            rows = blocks_of(m, program)
            assert rows.start == number * BLOCK_ROW
            number += len(rows)
            yield program, self._keys.of(program)

    def _fill(self, program: int, marks: KnownMarks) -> None:
        rows = blocks_of(self._m, program)
        starts, lasts = (
            column_of(self._m, rows, each) for each in (BLOCK_START, BLOCK_LAST)
        )
        # Programs of one code differ in immutables, hardly ever in their blocks.
        layout = starts.tobytes(), lasts.tobytes()
        columns = marks.layouts.get(layout)
        if columns is None:
            columns = marks.layouts[layout] = marks.columns(starts, lasts)
        first, end = rows.start // BLOCK_ROW, rows.stop // BLOCK_ROW
        self._depths[first:end], self._endings[first:end] = columns


@dataclass(slots=True)
class KnownMarks:
    """What is known of a code, whatever programs there are of it.

    Attributes:
        visited: by the bit of a call depth, a byte for each program counter.
        endings: by program counter, a bit for each status.
        programs: rows of its programs that are decoded.
        layouts: columns of blocks, by where they start and what they end with.
    """

    visited: dict[int, bytes] = field(default_factory=dict)
    endings: dict[int, int] = field(default_factory=dict)
    programs: list[int] = field(default_factory=list)
    layouts: dict[tuple[bytes, bytes], tuple[array[int], array[int]]] = field(
        default_factory=dict
    )

    def columns(
        self, starts: array[int], lasts: array[int]
    ) -> tuple[array[int], array[int]]:
        """Return the columns `BLOCK_KNOWN` and `BLOCK_ENDINGS` of some blocks."""
        visited = self.visited.items()
        depths = array(
            "Q",
            (
                sum(bit for bit, marks in visited if at < len(marks) and marks[at])
                for at in starts
            ),
        )
        return depths, array("Q", (self.endings.get(at, 0) for at in lasts))


class KnownEdges:
    """Writes the edges of a coverage map into `Machine.edges`."""

    def __init__(self, machine: Machine) -> None:
        self._m = machine
        self._entered = 0
        self._jumps: dict[CodeKey, list[tuple[int, int]]] = {}
        """By code: edges that were entered, as program counters."""
        self._blocks: dict[CodeKey, list[tuple[dict[int, int], dict[int, int]]]] = {}
        """By code, and then by program: rows by their last and by their first
        instruction, as program counters."""
        self._new: list[tuple[CodeKey, range]] = []
        self._table: array[int] | None = None
        self._count = 0

    def forget(self) -> None:
        """Forget all programs."""
        self._blocks.clear()
        self._new.clear()
        self._table = None

    def add_program(self, key: CodeKey, rows: range) -> None:
        """Take note of a program that has been decoded, and of its blocks."""
        self._new.append((key, rows))

    def reset(self, known: CoverageMap) -> None:
        """Make the edges of `known`, which only ever grows, those that are known."""
        m = self._m
        if self._table is None:
            forget_edges(m)
        else:
            # As with the columns: the table as it was before tasks added to it.
            m.edge_mask = len(self._table) // EDGE_WORDS - 1
            m.edge_count = self._count
            memoryview(m.edges)[: len(self._table)] = memoryview(self._table)
        if self._table is None or self._new or self._entered < len(known.edges):
            self._enter_edges(known)
            self._enter_programs()
            self._table = array("Q", m.edges[: EDGE_WORDS * (m.edge_mask + 1)])
            self._count = m.edge_count

    def _enter_edges(self, known: CoverageMap) -> None:
        for key, jump, target in islice(known.edges, self._entered, None):
            self._jumps.setdefault(key, []).append((jump, target))
            for blocks in self._blocks.get(key, ()):
                self._learn(blocks, jump, target)
        self._entered = len(known.edges)

    def _enter_programs(self) -> None:
        for key, rows in self._new:
            lasts, starts = (
                dict(zip(column_of(self._m, rows, each), rows, strict=True))
                for each in (BLOCK_LAST, BLOCK_START)
            )
            self._blocks.setdefault(key, []).append((lasts, starts))
            for jump, target in self._jumps.get(key, ()):
                self._learn((lasts, starts), jump, target)
        self._new.clear()

    def _learn(
        self, blocks: tuple[dict[int, int], dict[int, int]], jump: int, target: int
    ) -> None:
        """Enter an edge of a code for a program of it, if that has both its ends."""
        lasts, starts = blocks
        if jump in lasts and target in starts:
            learn_edge(self._m, edge_key(lasts[jump], starts[target]))


class StateTable:
    """Writes the states of a coverage map into `Machine.states`."""

    def __init__(self, machine: Machine, keys: ProgramKeys) -> None:
        self._states = machine.states
        self._keys = keys
        self._families: dict[CodeKey, int] = {}
        self._entered = 0
        self._table = array("Q", bytes(8 * STATE_TABLE))

    def family(self, program: int) -> int:
        """Return the number of a program's name, from 1; see `PROGRAM_FAMILY`."""
        return self._family(self._keys.of(program))

    def _family(self, key: CodeKey) -> int:
        return self._families.setdefault(key, len(self._families) + 1)

    def reset(self, known: CoverageMap, *, wanted: tuple[bool, bool, bool]) -> None:
        """Make the states of `known`, which only ever grows, those that are known.

        Args:
            known: the map.
            wanted: of which sorts some may be news (`evm.states.word_sort`).
        """
        states = self._states
        # As with edges: the table as it was before tasks added to it.
        memoryview(states.table)[:] = memoryview(self._table)
        if self._entered < len(known.states):
            self._let_in(MOST_OF_SORT)
            for key, slot, kind in islice(known.states, self._entered, None):
                learn_state(states, state_key(self._family(key), slot, kind))
            self._entered = len(known.states)
            self._table = array("Q", states.table)
        rooms = zip(known.state_rooms, wanted, strict=True)
        self._let_in([room if is_wanted else 0 for room, is_wanted in rooms])

    def _let_in(self, rooms: Sequence[int]) -> None:
        """Set how many more states of each sort may become known."""
        states = self._states
        states.room, states.written_room, states.paired_room = rooms


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


def column_of(m: Machine, rows: range, column: int) -> array[int]:
    """Return a column of some rows of `blocks` that follow each other."""
    view = memoryview(m.blocks).cast("Q")
    return array("Q", view[(rows.start + column) // 8 : rows.stop // 8 : _WORDS])


def blocks_of(m: Machine, program: int) -> range:
    """Return the rows of a program's blocks."""
    start = load64(m.programs, program + PROGRAM_BLOCKS)
    count = load64(m.programs, program + PROGRAM_BLOCK_COUNT)
    return range(start, start + count * BLOCK_ROW, BLOCK_ROW)
