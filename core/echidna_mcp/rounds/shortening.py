"""Shortening: a sequence joins the corpus without calls that its news do not need.

Most calls of a sequence fail, or have nothing to do with what it shows. As a beginning
of other sequences they take time, and the places in which the next steps could stand.
What is dropped leaves its delays to the next call, as far as a call may have them. A
candidate is executed, on every backend in the same way, and kept if each call that has
shown something shows all of that again, and no other call fails that did not.

As with shrinking this takes work, but makes no calls of the campaign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from echidna_mcp.errors import CapacityError
from echidna_mcp.evm.backend import CallResult, Status, Watch
from echidna_mcp.fuzz.records import (
    call_block_delay,
    call_time_delay,
    set_call_delays,
)
from echidna_mcp.rounds.call_codec import outcome, without_override
from echidna_mcp.rounds.execution import Book, calls_of
from echidna_mcp.rounds.tasks import CALL_WORK, Outcome
from echidna_mcp.views.coverage import CoverageDelta

if TYPE_CHECKING:
    from echidna_mcp.rounds.recorder import Executed

MOST_CHUNKS = 16
"""Of a sequence it is tried to drop so many chunks, beside what is idle."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A sequence as it joins the corpus.

    Attributes:
        calls: their records.
        outcomes: how each of them ended.
        news: what each of them has to show; nothing, mostly.
        idle: numbers of those of which it is known that they have changed nothing.
        covering: results of those that have covered code; none of a sequence that is
            as it was found.
    """

    calls: tuple[bytes, ...]
    outcomes: tuple[Outcome, ...]
    news: tuple[CoverageDelta, ...]
    idle: tuple[int, ...]
    covering: tuple[CallResult, ...] = ()

    @classmethod
    def of(cls, ran: Executed) -> Entry:
        """Return the part of an executed sequence that is worth keeping."""
        outcomes = ran.outcomes[: ran.interesting]
        none = CoverageDelta()
        news = [ran.news.get(number, none) for number in range(len(outcomes))]
        failed = [
            number
            for number, (_, status) in enumerate(outcomes)
            if not Status[status].succeeded
        ]
        calls = calls_of(ran.calls[: ran.kept])
        return cls(tuple(calls), tuple(outcomes), tuple(news), tuple(failed))

    def without_news(self, chosen: Iterable[int]) -> frozenset[int]:
        """Return those of the chosen calls that have nothing to show."""
        return frozenset(number for number in chosen if not self.news[number])

    @property
    def sequence(self) -> bytes:
        """Its records, one after the other."""
        return b"".join(self.calls)


class Shortening:
    """Shortens sequences of one task.

    Args:
        book: of the task; the work is counted there.
        watch: what is news to it.
        longest: the most seconds and blocks between two calls.
        budget: work units; no candidate for a sequence begins when they are spent.
    """

    def __init__(
        self, book: Book, watch: Watch, longest: tuple[int, int], budget: int
    ) -> None:
        self._book = book
        self._longest = longest
        self._budget = budget
        self._brief = replace(book.runner.watch, storage=True)
        self._full = replace(watch, trail=False, known=True)

    def shortened(self, entry: Entry) -> Entry:
        """Return what is left of a sequence."""
        if len(entry.calls) < 2:
            return entry
        entry = self._without_chunks(self._without_idle(entry))
        # What calls return, identifiers perhaps, depends on the calls before.
        for result in entry.covering:
            self._book.recorder.learn(result)
        return entry

    def _without_idle(self, entry: Entry) -> Entry:
        # Failed calls go first; that run tells which of the others write nothing.
        entry = self._run(entry, entry.without_news(entry.idle))
        return self._attempt(entry, entry.idle)

    def _without_chunks(self, entry: Entry) -> Entry:
        spending = self._book.spending
        limit = spending.work + self._budget
        tries, size = 0, len(entry.calls) // 2
        while size:
            end = len(entry.calls)
            # From behind: what depends on a call comes after it.
            while end > 0:
                if tries == MOST_CHUNKS or spending.work >= limit:
                    return entry
                entry = self._attempt(entry, range(max(0, end - size), end))
                end -= size
                tries += 1
            size //= 2
        return entry

    def _attempt(self, entry: Entry, chosen: Iterable[int]) -> Entry:
        """Return a sequence without the chosen calls that have nothing to show."""
        dropped = entry.without_news(chosen)
        return self._run(entry, dropped) if dropped else entry

    def _run(self, entry: Entry, dropped: frozenset[int]) -> Entry:
        """Return a sequence without some calls, or as it is if it showed less."""
        try:
            return self._candidate(entry, dropped) or entry
        except CapacityError as error:
            spent = self._book.runner.give_up(error) + CALL_WORK
            self._book.spending.work += spent
            return entry

    def _candidate(self, entry: Entry, dropped: frozenset[int]) -> Entry | None:
        """Run a sequence without some calls; None if it shows less."""
        runner, spending = self._book.runner, self._book.spending
        runner.begin()
        calls: list[bytes] = []
        outcomes: list[Outcome] = []
        news: list[CoverageDelta] = []
        idle: list[int] = []
        covering: list[CallResult] = []
        for number, call in without(entry.calls, dropped, self._longest):
            wanted = entry.news[number]
            record = bytearray(call)
            message = runner.aim(record, 0)
            spending.work += CALL_WORK
            if message is None:
                return None
            watch = self._full if wanted else self._brief
            result = runner.call(message, watch).result
            spending.work += result.steps
            if not self._is_as_before(result, entry.outcomes[number], wanted):
                return None
            if wanted.nearest and not self._book.tests.are_as_near(wanted.nearest):
                return None
            if not (result.writes or message.value or result.creations):
                idle.append(len(calls))
            calls.append(
                bytes(record if result.overridden else without_override(record))
            )
            outcomes.append(outcome(result))
            news.append(wanted)
            if wanted.is_of_code:
                covering.append(result)
        parts = tuple(calls), tuple(outcomes), tuple(news), tuple(idle), tuple(covering)
        return Entry(*parts)

    def _is_as_before(
        self, result: CallResult, before: Outcome, wanted: CoverageDelta
    ) -> bool:
        """Whether a call has succeeded if it did, and shows what it has shown."""
        if Status[before[1]].succeeded and not result.status.succeeded:
            return False
        return not wanted or self._book.recorder.shows(result, wanted)


def without(
    calls: Sequence[bytes], dropped: frozenset[int], longest: tuple[int, int]
) -> Iterator[tuple[int, bytes]]:
    """Yield number and record of all calls but those that are dropped.

    Their delays are added to those of the call that follows.

    Args:
        calls: records.
        dropped: numbers of calls.
        longest: the most seconds and blocks that become the delays of a call.
    """
    seconds = blocks = 0
    for number, call in enumerate(calls):
        record = bytearray(call)
        own_seconds, own_blocks = (
            call_time_delay(record, 0),
            call_block_delay(record, 0),
        )
        seconds = min(seconds + own_seconds, max(longest[0], own_seconds))
        blocks = min(blocks + own_blocks, max(longest[1], own_blocks))
        if number in dropped:
            continue
        set_call_delays(record, 0, seconds, blocks)
        seconds = blocks = 0
        yield number, bytes(record)
