"""The figures of a running campaign that its displays show."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from echidna_mcp.reports.coverage_reports import CoverageReports
from echidna_mcp.views.properties import PropertyState
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.views.campaign import CampaignViews

Clock = Callable[[], float]
"""Seconds from any moment on; displays are the only place that looks at a clock."""

WINDOW: Final = 10.0
"""Seconds over which calls are counted for their rate."""


class CallRate:
    """Calls per second over the last seconds."""

    def __init__(self, clock: Clock, calls: int) -> None:
        self._clock = clock
        self._samples: deque[tuple[float, int]] = deque([(clock(), calls)])

    def update(self, calls: int) -> int:
        """Take in the total number of calls; return the rate, 0 if unknown."""
        now = self._clock()
        self._samples.append((now, calls))
        while len(self._samples) > 2 and now - self._samples[1][0] >= WINDOW:
            self._samples.popleft()
        then, before = self._samples[0]
        return round((calls - before) / (now - then)) if now > then else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A moment of a campaign.

    Attributes:
        rate: calls per second.
        line_percent: executed lines in per cent, or None without source maps.
        falsified, tests: numbers of tests.
        shrinking: name, attempts and calls of each reproducer that is being shrunk.
    """

    round: int
    calls: int
    limit: int | None
    rate: int
    points: int
    line_percent: float | None
    sequences: int
    transactions: int
    words: int
    falsified: int
    tests: int
    shrinking: tuple[tuple[str, int, int], ...]

    def text(self) -> str:
        """Return one line, much as Echidna's status line."""
        limit = "" if self.limit is None else f"/{self.limit}"
        lines = "" if self.line_percent is None else f" ({self.line_percent}% of lines)"
        parts = [
            f"tests: {self.falsified}/{self.tests}",
            f"fuzzing: {self.calls}{limit}",
            f"round: {self.round}",
            f"cov: {self.points}{lines}",
            f"corpus: {self.sequences}",
            *(
                f"shrinking {name}: {counted(attempts, 'attempt')} "
                f"({counted(calls, 'call')})"
                for name, attempts, calls in self.shrinking
            ),
            f"calls/s: {self.rate}",
        ]
        return ", ".join(parts)


class StatusSource:
    """Takes the status of a campaign from its views."""

    def __init__(self, views: CampaignViews, clock: Clock) -> None:
        self._views = views
        self._reports = CoverageReports(views.target)
        self._rate = CallRate(clock, views.progress.calls)

    def take(self) -> Status:
        """Return the status of now."""
        views = self._views
        progress, records = views.progress, views.properties.records.values()
        report = self._reports.report(views.coverage)
        mapped = any(contract.lines for contract in report.contracts)
        return Status(
            round=progress.round,
            calls=progress.calls,
            limit=views.target.config.test_limit,
            rate=self._rate.update(progress.calls),
            points=views.coverage.points,
            line_percent=report.line_percent if mapped else None,
            sequences=len(views.corpus),
            transactions=views.corpus.transactions,
            words=len(views.dictionary.words),
            falsified=len(views.properties.falsified),
            tests=len(records),
            shrinking=tuple(
                (record.name, record.attempts, len(record.calls or ()))
                for record in records
                if record.state is PropertyState.SHRINKING
            ),
        )
