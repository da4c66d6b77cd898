"""The last events of the campaign, as `read_logs` shows them (FR-001)."""

from __future__ import annotations

from collections import deque
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypedDict, cast

from echidna_mcp.config.campaign import shown_config
from echidna_mcp.numbers import exact
from echidna_mcp.program.world import shown_plan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echidna_mcp.events.event import Event

CAPACITY: Final = 2500
"""Clarification #4 of the requirements."""

OF_A_TYPE: Final = 100
"""Events of each type that are kept when they have left the ring."""

LARGE_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "CampaignStarted": ("program",),
        "ComparisonsSolved": ("sites",),
        "ComparisonsTried": ("marks", "tries"),
        "CorpusExtended": ("calls",),
        "CorpusInherited": ("sequences", "files", "remarks", "findings"),
        "CoverageIncreased": ("visited", "results", "edges", "states"),
        "DictionaryExtended": ("words",),
        "FalsificationDisputed": ("calls",),
        "OutsideAnswered": ("values",),
        "PropertyFalsified": ("calls",),
        "ReproducerConfirmed": ("calls",),
        "ReproducerShrunk": ("calls",),
        "RoundCommitted": ("workers",),
        "SolverAnswered": ("tried", "sequences"),
        "ValueRaised": ("calls",),
    }
)
"""Members of payloads that the log leaves out, by event type."""


BRIEF_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "TransactionExecuted": ("call", "result"),
        "CoverageIncreased": ("points", "total"),
        "CorpusExtended": ("entry", "newPoints"),
        "PropertyFalsified": ("property",),
        "ReproducerConfirmed": ("property",),
        "ReproducerShrunk": ("property",),
        "FalsificationDisputed": ("property",),
        "OutsideAnswered": ("kind",),
        "RoundCommitted": ("totalCalls",),
        "SolverAnswered": ("job",),
        "ValueRaised": ("property", "value"),
        "CommandAccepted": ("tool",),
        "CommandApplied": ("command", "tool"),
        "WorkerStopped": ("reason",),
        "CampaignStopped": ("reason",),
    }
)
"""Members that `brief` keeps, by event type; none of others."""
_BRIEF_TEXT: Final = 24


class LogEntry(TypedDict):
    """One event of the log; JSON values, never changed."""

    timestamp: str
    eventType: str
    workerId: int
    data: dict[str, Any]
    seq: int
    round: int


class EventLog:
    """A ring of the newest events; a new one pushes out the oldest.

    Times grow strictly, over all workers, because the store writes them so. What has
    left the ring stands in the store; the newest events of each type are kept here as
    well, because what is rare, as a falsification, must be found at any time.
    """

    def __init__(self) -> None:
        self._ring: deque[LogEntry] = deque(maxlen=CAPACITY)
        self._of_type: dict[str, deque[LogEntry]] = {}
        self._first: dict[str, int] = {}
        """Position of the first event of each type."""

    @property
    def total(self) -> int:
        """Number of events in the ring of all types."""
        return len(self._ring)

    def apply(self, event: Event) -> None:
        """Take one event into the ring."""
        entry = LogEntry(
            timestamp=event.at,
            eventType=event.type,
            workerId=worker_id(event),
            data=summary(event),
            seq=event.seq,
            round=event.round,
        )
        self._ring.append(entry)
        self._of_type.setdefault(event.type, deque(maxlen=OF_A_TYPE)).append(entry)
        self._first.setdefault(event.type, event.seq)

    def entries(
        self,
        count: int,
        event_type: str | None = None,
        worker_id: int | None = None,
        before: int | None = None,
    ) -> list[LogEntry]:
        """Return up to `count` events of the ring, the newest first.

        Args:
            count: how many, after filtering.
            event_type: only events of this type.
            worker_id: only events of this worker; events of no worker count as 0.
            before: only events below this position in the store.
        """
        matching = (
            entry
            for entry in reversed(self._ring)
            if event_type in (None, entry["eventType"])
            and worker_id in (None, entry["workerId"])
            and (before is None or entry["seq"] < before)
        )
        return list(islice(matching, count))

    def of_type(self, event_type: str, count: int) -> list[LogEntry]:
        """Return the newest events of a type, the newest first, however old.

        Args:
            event_type: the type.
            count: the most that are returned, at most `OF_A_TYPE`.
        """
        return list(islice(reversed(self._of_type.get(event_type, deque())), count))

    def have_left(self, event_type: str) -> bool:
        """Return whether events of a type were in the ring that no longer are."""
        first = self._first.get(event_type)
        return first is not None and first < self._ring[0]["seq"]


def brief(entry: LogEntry) -> LogEntry:
    """Return an entry with no more of its data than tells what it is about."""
    data: dict[str, Any] = {}
    for name in BRIEF_MEMBERS.get(entry["eventType"], ()):
        if name in entry["data"]:
            value = entry["data"][name]
            cut = isinstance(value, str) and len(value) > _BRIEF_TEXT
            data[name] = f"{value[: _BRIEF_TEXT - 1]}…" if cut else value
    return {**entry, "data": data}


def worker_id(event: Event) -> int:
    """Return the worker of an event; 0 if it belongs to none (design §5)."""
    return 0 if event.worker is None else event.worker


def summary(event: Event) -> dict[str, Any]:
    """Return the payload without what is too large for a log.

    Each member left out becomes a number: `words` becomes `wordsCount`, and so on. A
    program becomes the number of its contracts; the program counters of a coverage
    increase are counted over all codes. Numbers are as others can read them (`exact`).
    """
    large = LARGE_MEMBERS.get(event.type, ())
    data = {name: value for name, value in event.payload.items() if name not in large}
    for name in large:
        if name in event.payload:
            data[f"{name}Count"] = _count(name, event.payload[name])
    if event.type == "CampaignStarted" and "config" in data:
        data["config"] = shown_config(data["config"])
    if event.type == "CampaignStarted" and "plan" in data:
        data["plan"] = shown_plan(data["plan"])
    return cast("dict[str, Any]", exact(data))


def _count(name: str, value: Any) -> int:
    match name:
        case "program":
            return len(value["contracts"])
        case "visited":
            return sum(len(counters) for _, _, counters in value)
        case _:
            return len(value)
