"""Shortening: a sequence joins the corpus without calls that its news do not need.

Most calls of a sequence fail, or have nothing to do with what it shows. As a beginning
of other sequences they take time, and the places in which the next steps could stand.
What is dropped leaves its delays to the next call, as far as a call may have them. A
candidate is executed, on every backend in the same way, and kept if each call that has
shown something shows all of that again, and no other call fails that did not.

Candidates drop calls from behind, so each goes on from what it has in common with the
one before it. As with shrinking this takes work, but makes no calls of the campaign.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
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
    from echidna_mcp.rounds.running import Mark

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


@dataclass(frozen=True, slots=True)
class _Made:
    """A call of a candidate that has shown what it should.

    Attributes:
        call: the record as it was handed in.
        wanted: what it has to show.
        record: as it ran.
        result: of the call.
        is_idle: whether it is known to have changed nothing.
    """

    call: bytes
    wanted: CoverageDelta
    record: bytes
    result: CallResult
    is_idle: bool


class Shortening:
    """Shortens a sequence.

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
        self._brief = book.runner.watch
        self._full = watch
        self._storage = False
        self._made: list[_Made] = []
        """The calls of the last candidate up to the one that showed less."""
        self._marks: list[Mark] = []
        """The places before each of them, and behind the last one."""

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
        self._storage = True
        entry = self._run(entry, entry.without_news(entry.idle))
        self._storage = False
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
            self._marks = []
            return entry

    def _candidate(self, entry: Entry, dropped: frozenset[int]) -> Entry | None:
        """Run a sequence without some calls; None if it shows less."""
        chosen = [
            (call, entry.news[number], entry.outcomes[number])
            for number, call in without(entry.calls, dropped, self._longest)
        ]
        self._go_back(chosen)
        for call, wanted, before in chosen[len(self._made) :]:
            made = self._make(call, wanted, before)
            if made is None:
                return None
            self._made.append(made)
            self._marks.append(self._book.runner.mark())
        ran = self._made
        return Entry(
            calls=tuple(each.record for each in ran),
            outcomes=tuple(outcome(each.result) for each in ran),
            news=tuple(each.wanted for each in ran),
            idle=tuple(number for number, each in enumerate(ran) if each.is_idle),
            covering=tuple(each.result for each in ran if each.wanted.is_of_code),
        )

    def _go_back(self, chosen: Sequence[tuple[bytes, CoverageDelta, Outcome]]) -> None:
        """Go back to the last place up to which nothing is otherwise."""
        if not self._marks:
            self._book.runner.begin()
            self._made, self._marks = [], [self._book.runner.mark()]
        same = 0
        for made, (call, wanted, _) in zip(self._made, chosen, strict=False):
            # Of two calls that are the same each has something else to show.
            if made.call != call or made.wanted is not wanted:
                break
            same += 1
        self._book.runner.back(self._marks[same])
        del self._made[same:], self._marks[same + 1 :]

    def _make(
        self, call: bytes, wanted: CoverageDelta, before: Outcome
    ) -> _Made | None:
        """Make the next call of a candidate; None if it shows less."""
        runner, spending = self._book.runner, self._book.spending
        record = bytearray(call)
        message = runner.aim(record, 0)
        spending.work += CALL_WORK
        if message is None:
            return None
        watch = self._watch_for(wanted)
        result = runner.call(message, watch, harvests=False).result
        spending.work += result.steps
        if not self._is_as_before(result, before, wanted):
            return None
        tests = self._book.tests
        if wanted.nearest and not tests.are_as_near(wanted.nearest, record, result):
            return None
        return _Made(
            call=call,
            wanted=wanted,
            record=bytes(record if result.overridden else without_override(record)),
            result=result,
            is_idle=watch.storage
            and not (result.writes or message.value or result.creations),
        )

    def _watch_for(self, wanted: CoverageDelta) -> Watch:
        """Return what of a call has to be known: all else takes time."""
        full = self._full
        return _replaced(
            self._brief,
            coverage=full.coverage and wanted.is_of_code,
            edges=full.edges and bool(wanted.edges),
            states=full.states and bool(wanted.states),
            comparisons=bool(wanted.nearest),
            storage=self._storage,
            known=True,
        )

    def _is_as_before(
        self, result: CallResult, before: Outcome, wanted: CoverageDelta
    ) -> bool:
        """Whether a call has succeeded if it did, and shows what it has shown."""
        if Status[before[1]].succeeded and not result.status.succeeded:
            return False
        return not wanted or self._book.recorder.shows(result, wanted)


@cache
def _replaced(watch: Watch, **wanted: bool) -> Watch:
    """Return what `replace` does; each call of a candidate asks for one of a few."""
    return replace(watch, **wanted)


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
