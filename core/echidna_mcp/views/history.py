"""How a campaign went over time: some samples of its counters, never too many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event

CAPACITY: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The counters after a round.

    Attributes:
        round: the round.
        at: when it was committed, UTC, as the store writes it.
        calls: calls so far.
        points: program counters executed so far.
        transactions: calls in the corpus.
        falsified: tests falsified so far.
    """

    round: int
    at: str
    calls: int
    points: int
    transactions: int
    falsified: int


class HistoryView:
    """Samples of the whole campaign, evenly spread over its rounds, and the last.

    When there are too many, every second one goes, and from then on samples are taken
    half as often.
    """

    def __init__(self) -> None:
        self._samples: list[Sample] = []
        self._last: Sample | None = None
        self._stride = 1
        self._points = self._transactions = self._falsified = 0

    @property
    def samples(self) -> list[Sample]:
        """Return the samples, oldest first."""
        if self._last is None or self._last in self._samples[-1:]:
            return list(self._samples)
        return [*self._samples, self._last]

    def apply(self, event: Event) -> None:
        """Fold one event."""
        match event.type:
            case "CoverageIncreased":
                self._points = event.payload["total"]
            case "CorpusExtended":
                self._transactions += len(event.payload["calls"])
            case "PropertyFalsified":
                self._falsified += 1
            case "RoundCommitted":
                self._take(event)

    def _take(self, event: Event) -> None:
        self._last = Sample(
            round=event.round,
            at=event.at,
            calls=event.payload["totalCalls"],
            points=self._points,
            transactions=self._transactions,
            falsified=self._falsified,
        )
        if event.round % self._stride == 0:
            self._samples.append(self._last)
        if len(self._samples) > CAPACITY:
            self._stride *= 2
            kept = [s for s in self._samples if s.round % self._stride == 0]
            self._samples = kept
