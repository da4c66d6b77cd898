"""Climbing without an EVM: the machine is a function of the calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TypeAlias

from echidna_mcp.evm.backend import MOST_COMPARISONS, Comparison, ComparisonKind
from echidna_mcp.fuzz.climbing import starting
from echidna_mcp.fuzz.climbing.climb import begin_sequence_of_climbs
from echidna_mcp.fuzz.climbing.comparisons import holds
from echidna_mcp.fuzz.climbing.starting import (
    KnownSites,
    configure,
    make_climb,
    make_log,
    write_log,
)
from echidna_mcp.fuzz.climbing.state import Climb
from echidna_mcp.fuzz.kernels.loading import PLAIN_KERNELS, Kernels
from echidna_mcp.fuzz.layout import CALL_HEADER
from echidna_mcp.fuzz.records import write_header
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.kernel.language.memory import load256

CEILING = 1 << 256
SENDER = 0x20000

Machine: TypeAlias = Callable[[Sequence[bytes]], list[Comparison]]
"""What the last of some calls compares."""


def call_of(*arguments: int, function: int = 0) -> bytes:
    """Return a call record whose tape is these words."""
    record = bytearray(CALL_HEADER)
    length = CALL_HEADER + 32 * len(arguments)
    write_header(record, 0, length, function, SENDER, 0, 0, 0)
    return bytes(record) + b"".join(
        (w % CEILING).to_bytes(32, "big") for w in arguments
    )


def arguments_of(record: bytes) -> list[int]:
    memory = bytearray(record)
    return [load256(memory, at) for at in range(CALL_HEADER, len(memory), 32)]


def guards(*asked: tuple[ComparisonKind, int, int, bool]) -> list[Comparison]:
    """Return the comparisons of nested conditions, up to the first that fails."""
    found = []
    for site, (kind, left, right, wanted) in enumerate(asked):
        found.append(Comparison(kind, left % CEILING, right % CEILING, site))
        if bool(holds(kind, left % CEILING, right % CEILING)) != wanted:
            break
    return found


class Climber:
    """Climbs the last of some calls on a machine that is a function."""

    def __init__(
        self,
        tables: FuzzTables,
        kernels: Kernels = PLAIN_KERNELS,
        *,
        guards: int | None = None,
        asks_test: bool = False,
    ) -> None:
        """Take what is drawn from.

        Args:
            tables: the tables.
            kernels: what climbs.
            guards: how many there are: a call succeeds that compares once more. None if
                each call does.
            asks_test: whether a test compares, which is asked about the state behind.
        """
        self._asks_test = asks_test
        self._tables, self._kernels = tables, kernels
        self._guards = guards
        self.climb: Climb = make_climb()
        self.variants: list[bytes] = []

    def run(self, machine: Machine, *calls: bytes) -> list[bytes]:
        """Climb; return the calls that are kept."""
        climb, log = self.climb, make_log()
        begin_sequence_of_climbs(climb)
        window = bytearray(b"".join(calls))
        found = machine(calls)
        write_log(log, found[-MOST_COMPARISONS:], len(found))
        last, end = len(window) - len(calls[-1]), len(window)
        if self._asks_test:
            self._kernels.begin_goal_climb(climb, window, 0, end, log, len(found), 1, 0)
        elif not self._kernels.begin_climb(
            climb, window, 0, last, end, log, len(found), self._succeeded(found)
        ):
            return list(calls)
        while self._kernels.next_variant(self._tables, climb):
            tried = self._calls(climb.base, climb.base_starts)[: climb.first]
            part = self._calls(climb.variant, climb.variant_starts, climb.first)
            self.variants += part
            found = machine([*tried, *part])
            write_log(log, found[-MOST_COMPARISONS:], len(found))
            self._kernels.judge_variant(
                self._tables, climb, log, len(found), self._succeeded(found)
            )
        return self._calls(climb.base, climb.base_starts)

    def _succeeded(self, found: Sequence[Comparison]) -> int:
        return int(self._guards is None or len(found) > self._guards)

    def _calls(self, buffer, starts, first: int = 0) -> list[bytes]:
        return [
            bytes(buffer[starts[number] : starts[number + 1]])
            for number in range(first, self.climb.calls)
        ]


def begin_task(
    climb: Climb,
    tries: Mapping[int, int],
    nearest: Mapping[int, int],
    turn: int,
    calls: int,
    *,
    fallen: Collection[int] = (),
    **ways: bool,
) -> None:
    """Begin a task that climbs in some ways; all that is known is by marks."""
    configure(climb, **ways)
    known = KnownSites(tries, nearest, fallen=fallen)
    starting.begin_task(climb, known, turn, calls)


def learnt(climb: Climb, tries: Mapping[int, int]) -> tuple[tuple[int, int], ...]:
    """Return what a task has learnt of comparisons that began with these tries."""
    return starting.learnt(climb, KnownSites(tries, {}))
