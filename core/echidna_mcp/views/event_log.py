"""The last events of the campaign, as `read_logs` shows them (FR-001)."""

from __future__ import annotations

from collections import deque
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypedDict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echidna_mcp.events.event import Event

CAPACITY: Final = 2500
"""Clarification #4 of the requirements."""

LARGE_MEMBERS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "CampaignStarted": ("program",),
        "CorpusExtended": ("calls",),
        "CorpusInherited": ("sequences",),
        "CoverageIncreased": ("visited", "results", "edges"),
        "DictionaryExtended": ("words",),
        "FalsificationDisputed": ("calls",),
        "PropertyFalsified": ("calls",),
        "ReproducerShrunk": ("calls",),
        "RoundCommitted": ("workers",),
    }
)
"""Members of payloads that the log leaves out, by event type."""


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

    There is one more ring for each type, so that what is rare, as a falsification, is
    still found when all of the log is younger. Times grow strictly, over all workers,
    because the store writes them so.
    """

    def __init__(self) -> None:
        self._ring: deque[LogEntry] = deque(maxlen=CAPACITY)
        self._of_type: dict[str, deque[LogEntry]] = {}

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
        self._of_type.setdefault(event.type, deque(maxlen=CAPACITY)).append(entry)

    def entries(
        self,
        count: int,
        event_type: str | None = None,
        worker_id: int | None = None,
    ) -> list[LogEntry]:
        """Return up to `count` events, the newest first.

        Args:
            count: how many, after filtering.
            event_type: only events of this type.
            worker_id: only events of this worker; events of no worker count as 0.
        """
        ring = self._ring
        if event_type is not None:
            ring = self._of_type.get(event_type, deque())
        matching = (
            entry
            for entry in reversed(ring)
            if worker_id is None or entry["workerId"] == worker_id
        )
        return list(islice(matching, count))


def worker_id(event: Event) -> int:
    """Return the worker of an event; 0 if it belongs to none (design §5)."""
    return 0 if event.worker is None else event.worker


def summary(event: Event) -> dict[str, Any]:
    """Return the payload without what is too large for a log.

    Each member left out becomes a number: `words` becomes `wordsCount`, and so on. A
    program becomes the number of its contracts; the program counters of a coverage
    increase are counted over all codes.
    """
    large = LARGE_MEMBERS.get(event.type, ())
    data = {name: value for name, value in event.payload.items() if name not in large}
    for name in large:
        if name in event.payload:
            data[f"{name}Count"] = _count(name, event.payload[name])
    return data


def _count(name: str, value: Any) -> int:
    match name:
        case "program":
            return len(value["contracts"])
        case "visited":
            return sum(len(counters) for _, _, counters in value)
        case _:
            return len(value)
