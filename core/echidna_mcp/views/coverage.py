"""Which code has been executed: the coverage map of the whole campaign.

New coverage is a new (code, program counter, call depth) or a new (code, last program
counter, result), as in Echidna, and where edges are collected a new (code, jump, block
entered after it). New *states* (`evm.states`) are news as well, where they are wanted,
but cover nothing. A bit set is an integer with one *byte* for each program counter, so
that it compares with a `Visit` in one operation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import compress
from typing import TYPE_CHECKING, NotRequired, TypeAlias, TypedDict, cast

from echidna_mcp.events.payloads import (
    CallResult,
    CoverageIncreased,
    Edge,
    State,
)
from echidna_mcp.evm.backend import Status
from echidna_mcp.evm.states import (
    MOST_PAIRED,
    MOST_STATES,
    MOST_WRITTEN,
    word_sort,
)
from echidna_mcp.fuzz.climbing.profiles import SEEN
from echidna_mcp.fuzz.climbing.starting import profile_room

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event, NewEvent

CodeKey: TypeAlias = str
Ending: TypeAlias = tuple[CodeKey, int, int]
"""Code, last program counter, `Status` number."""
Nearest: TypeAlias = tuple[int, int]
"""Mark of a comparison, and how near a sequence has come to its other outcome; or that
of a small operand, and `SEEN` (`fuzz.climbing.profiles`)."""
MOST_NEAREST = 1024
"""Comparisons to whose other outcome it is known how near sequences have come."""
MOST_OF_SORT = (MOST_STATES, MOST_WRITTEN, MOST_PAIRED)
"""States that a campaign knows at most, by `word_sort`."""
Jump: TypeAlias = tuple[CodeKey, int, int]
"""Code, program counter of a JUMP or JUMPI, and that of the block entered next."""


class CoveredJson(TypedDict):
    """What a `CoverageIncreased` says of the code that was covered."""

    visited: list[tuple[str, int, list[int]]]
    results: list[tuple[str, int, CallResult]]
    edges: NotRequired[list[Edge]]
    states: NotRequired[list[State]]
    nearest: NotRequired[list[tuple[str, int]]]


@dataclass(slots=True)
class CoverageMap:
    """Executed program counters by (code, depth), endings, edges, and states."""

    visited: dict[tuple[CodeKey, int], int] = field(default_factory=dict)
    endings: set[Ending] = field(default_factory=set)
    edges: dict[Jump, None] = field(default_factory=dict)
    """In the order in which they were found; only ever appended to."""
    states: dict[State, None] = field(default_factory=dict)
    """Likewise; of each sort at most `MOST_OF_SORT`."""
    sorts: list[int] = field(default_factory=lambda: [0] * len(MOST_OF_SORT))
    """How many of these are of each sort."""
    nearest: dict[int, int] = field(default_factory=dict)
    """How near sequences have come to outcomes: by mark of a comparison
    (`fuzz.climbing.comparisons`) its least `nearness`; at most `MOST_NEAREST`."""

    def copy(self) -> CoverageMap:
        """Return an independent copy; cheap, because bit sets are immutable."""
        return CoverageMap(
            dict(self.visited),
            set(self.endings),
            dict(self.edges),
            dict(self.states),
            self.sorts.copy(),
            dict(self.nearest),
        )

    def is_nearer(self, mark: int, near: int, taken: int = 0) -> bool:
        """Whether no sequence has come so near, and there is room to know it.

        Args:
            mark: of a comparison, or of a small operand.
            near: how near, or `SEEN`.
            taken: how much of the room for small operands is taken beside.
        """
        if mark in self.nearest:
            return near < self.nearest[mark]
        has_room = near != SEEN or profile_room(self.nearest) > taken
        return has_room and len(self.nearest) < MOST_NEAREST

    def nearer(self, told: Iterable[Nearest]) -> Iterator[Nearest]:
        """Yield what of this is nearer, as far as there is room for it."""
        taken, fresh = 0, set[int]()
        for mark, near in told:
            is_full = len(self.nearest) + len(fresh) >= MOST_NEAREST
            if is_full and mark not in self.nearest and mark not in fresh:
                continue
            if self.is_nearer(mark, near, taken):
                taken += near == SEEN
                if mark not in self.nearest:
                    fresh.add(mark)
                yield mark, near

    @property
    def state_rooms(self) -> list[int]:
        """How many more states of each sort may become known."""
        return [
            most - known for most, known in zip(MOST_OF_SORT, self.sorts, strict=True)
        ]

    def has_room(self, state: State) -> bool:
        """Whether a state may become known."""
        return self.state_rooms[word_sort(state[1])] > 0

    def add_state(self, state: State) -> None:
        """Make a state known."""
        if state not in self.states:
            self.states[state] = None
            self.sorts[word_sort(state[1])] += 1

    def new_states(self, told: Iterable[State]) -> Iterator[State]:
        """Yield what of this is not known, as far as there is room for it."""
        rooms = self.state_rooms
        for state in told:
            if state not in self.states and rooms[word_sort(state[1])] > 0:
                rooms[word_sort(state[1])] -= 1
                yield state

    def new_in(self, key: CodeKey, depth: int, bits: int) -> int:
        """Return the bits that are not in the map yet."""
        return bits & ~self.visited.get((key, depth), 0)

    def add(self, key: CodeKey, depth: int, bits: int) -> None:
        """Mark program counters as executed."""
        place = (key, depth)
        self.visited[place] = self.visited.get(place, 0) | bits


@dataclass(frozen=True, slots=True, repr=False)
class CoverageDelta:
    """Coverage that one call sequence added.

    Attributes:
        visited: (code, depth, bits), in the order in which they were found.
        endings: endings, in the order in which they were found.
        edges: edges, likewise; none where they are not collected.
        states: states, likewise.
        nearest: (mark, nearness), as the map has them; the last one of a mark counts.
    """

    visited: tuple[tuple[CodeKey, int, int], ...] = ()
    endings: tuple[Ending, ...] = ()
    edges: tuple[Jump, ...] = ()
    states: tuple[State, ...] = ()
    nearest: tuple[Nearest, ...] = ()

    def __bool__(self) -> bool:
        return self.is_of_code or bool(self.states) or bool(self.nearest)

    @property
    def is_of_code(self) -> bool:
        """Whether code was covered, not only a state reached or a test come near."""
        return bool(self.visited or self.endings or self.edges)

    def __repr__(self) -> str:
        # Exact, for digests; bit sets are too long for decimal digits.
        visited = [(key, depth, f"{bits:#x}") for key, depth, bits in self.visited]
        # Nothing of what there is none of: digests from before hold.
        more = f", edges={self.edges}" if self.edges else ""
        more += f", states={self.states}" if self.states else ""
        more += f", nearest={self.nearest}" if self.nearest else ""
        return f"CoverageDelta(visited={visited}, endings={self.endings}{more})"

    def minus(self, known: CoverageMap) -> CoverageDelta:
        """Return what `known` does not have, and has room for."""
        visited = tuple(
            (key, depth, new)
            for key, depth, bits in self.visited
            if (new := known.new_in(key, depth, bits))
        )
        return CoverageDelta(
            visited,
            tuple(e for e in self.endings if e not in known.endings),
            tuple(e for e in self.edges if e not in known.edges),
            tuple(known.new_states(self.states)),
            tuple(known.nearer(self.nearest)),
        )

    def to_json(self) -> CoveredJson:
        """Return the members of the event; the last three if there are any."""
        found = {
            "visited": [
                [key, depth, counters(bits)] for key, depth, bits in self.visited
            ],
            "results": [
                [key, counter, Status(status).name]
                for key, counter, status in self.endings
            ],
        }
        if self.edges:
            found["edges"] = [list(edge) for edge in self.edges]
        if self.states:
            found["states"] = [list(state) for state in self.states]
        if self.nearest:
            found["nearest"] = [[f"0x{mark:016x}", near] for mark, near in self.nearest]
        return cast("CoveredJson", found)  # Lists, as JSON has them, not tuples.


def counters(bits: int) -> list[int]:
    """Return the program counters in a bit set, ascending."""
    size = (bits.bit_length() + 7) // 8
    return list(compress(range(size), bits.to_bytes(size, "little")))


def bits_of(program_counters: list[int]) -> int:
    """Return the bit set of some program counters."""
    if not program_counters:
        return 0
    marks = bytearray(max(program_counters) + 1)
    for counter in program_counters:
        marks[counter] = 1
    return int.from_bytes(marks, "little")


def is_more_than_states(news: CoverageIncreased) -> bool:
    """Whether a sequence has shown more than new states (`evm.states`)."""
    return has_new_code(news) or bool(news.get("nearest"))


def has_new_code(news: CoverageIncreased) -> bool:
    """Whether a sequence has shown new code, jumps, or ends of calls."""
    return any(news.get(what) for what in ("visited", "results", "edges"))


class CoverageView:
    """The coverage map as the fold of `CoverageIncreased`.

    Attributes:
        map: what is covered.
        points: number of (code, program counter) pairs in it.
        round: the last one with news.
        leading_round: the last one with news that were more than states.
        code_round: the last one with new code, jumps, or ends of calls.
    """

    def __init__(self) -> None:
        self.map = CoverageMap()
        self.points = 0
        self.round = self.leading_round = self.code_round = 0
        self._flat: dict[CodeKey, int] = {}

    @property
    def codes(self) -> int:
        """Number of distinct codes that have been executed."""
        return len(self._flat)

    def bits(self) -> dict[CodeKey, int]:
        """Return the executed program counters of each code as bit sets."""
        return dict(self._flat)

    def has(self, code: CodeKey) -> bool:
        """Whether any of a code has been executed."""
        return code in self._flat

    def covers(self, code: CodeKey, counter: int) -> bool:
        """Whether a program counter of a code was executed."""
        return bool(self._flat.get(code, 0) >> 8 * counter & 1)

    def covered(self) -> dict[CodeKey, list[int]]:
        """Return the executed program counters of each code, at any depth."""
        return {key: counters(bits) for key, bits in self._flat.items()}

    def jumps(self) -> dict[CodeKey, set[tuple[int, int]]]:
        """Return (jump, block entered next) of the codes whose edges are collected."""
        found: dict[CodeKey, set[tuple[int, int]]] = {}
        for key, jump, target in self.map.edges:
            found.setdefault(key, set()).add((jump, target))
        return found

    def new_points(self, delta: CoverageDelta) -> int:
        """Return how many (code, program counter) pairs `delta` adds, at any depth."""
        fresh: dict[CodeKey, int] = {}
        for key, _, bits in delta.visited:
            new = bits & ~self._flat.get(key, 0)
            fresh[key] = fresh.get(key, 0) | new
        return sum(bits.bit_count() for bits in fresh.values())

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        if event.type != "CoverageIncreased":
            return
        payload = cast("CoverageIncreased", event.payload)
        for key, depth, program_counters in payload["visited"]:
            bits = bits_of(program_counters)
            self.map.add(key, depth, bits)
            self._flat[key] = self._flat.get(key, 0) | bits
        for key, counter, status in payload["results"]:
            self.map.endings.add((key, counter, int(Status[status])))
        # An event without them was written while they were not collected.
        for key, jump, target in payload.get("edges", ()):
            self.map.edges[key, jump, target] = None
        for key, slot, kind in payload.get("states", ()):
            self.map.add_state((key, slot, kind))
        for mark, near in payload.get("nearest", ()):
            self.map.nearest[int(mark, 16)] = near
        self.points = payload["total"]
        self.round = event.round
        if is_more_than_states(payload):
            self.leading_round = event.round
        if has_new_code(payload):
            self.code_round = event.round
