"""How a campaign went over time: some samples of its counters, never too many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, cast

from echidna_mcp.events.payloads import ReproducerShrunk, ValueRaised

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event

CAPACITY: Final = 400
MOST_RISES: Final = 200
"""Of one value."""


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


@dataclass(frozen=True, slots=True)
class Rise:
    """The greatest value of an optimization test from a round on."""

    round: int
    value: int


class HistoryView:
    """Samples of the whole campaign, evenly spread over its rounds, and the last.

    When there are too many, every second one goes, and from then on samples are taken
    half as often.

    Attributes:
        rises: of optimization tests by name, oldest first. Of too many of a test every
            second one goes, but for the first and the last.
    """

    def __init__(self) -> None:
        self._samples: list[Sample] = []
        self._last: Sample | None = None
        self._stride = 1
        self._points = self._transactions = self._falsified = 0
        self.rises: dict[str, list[Rise]] = {}

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
            case "ValueRaised":
                raised = cast("ValueRaised", event.payload)
                self._raise(raised["property"], event.round, int(raised["value"]))
            case "ReproducerShrunk":
                shrunk = cast("ReproducerShrunk", event.payload)
                if "value" in shrunk:
                    value = int(shrunk["value"])
                    self._raise(shrunk["property"], event.round, value)
            case "RoundCommitted":
                self._take(event)

    def _raise(self, test: str, round_number: int, value: int) -> None:
        rises = self.rises.setdefault(test, [])
        if rises and rises[-1].value == value:
            return
        rises.append(Rise(round_number, value))
        if len(rises) > MOST_RISES:
            rises[1:-1] = rises[2:-1:2]

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
