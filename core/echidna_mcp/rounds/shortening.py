"""Shortening: a sequence joins the corpus without calls that its news do not need.

Most calls of a sequence fail, or have nothing to do with what it shows. As a beginning
of other sequences they take time, and the places in which the next steps could stand.
What is dropped leaves its delays to the next call, as far as a call may have them. If
that won't do, because identifiers depend on the time, perhaps, then as many calls stay
as carry all of it. A candidate is executed, on every backend in the same way, and kept
if each call that has shown something shows all of that again, and no other call fails
that did not.

Candidates drop calls from behind, so each goes on from what it has in common with the
one before it. As with shrinking this takes work, but makes no calls of the campaign.
Most calls have nothing to show. Those a searcher makes, if there is one, stretch by
stretch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

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
    from echidna_mcp.rounds.backend import Passed
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


class _Wanted(NamedTuple):
    """A call of a candidate.

    Attributes:
        call: the record.
        news: what it has to show.
        before: how it ended before.
    """

    call: bytes
    news: CoverageDelta
    before: Outcome

    @property
    def must_succeed(self) -> bool:
        """Whether it must not fail."""
        return Status[self.before[1]].succeeded


class _Made(NamedTuple):
    """A call of a candidate that has shown what it should.

    Attributes:
        wanted: what it had to show.
        record: as it ran.
        outcome: how it ended.
        is_idle: whether it is known to have changed nothing.
        covering: its result, if it had to cover code.
    """

    wanted: _Wanted
    record: bytes
    outcome: Outcome
    is_idle: bool = False
    covering: CallResult | None = None


class Shortening:
    """Shortens a sequence.

    Args:
        book: of the task; the work is counted there.
        watch: what is news to it.
        longest: the most seconds and blocks between two calls.
        budget: work units; no candidate for a sequence begins when they are spent.
    """

    def __init__(
        self,
        book: Book,
        watch: Watch,
        longest: tuple[int, int],
        budget: int,
    ) -> None:
        self._book = book
        self._longest = longest
        self._budget = budget
        self._brief = book.runner.watch
        self._full = watch
        self._storage = False
        self._waits = False
        """Whether calls that could be dropped stay where the time would be another."""
        self._made: list[_Made] = []
        """The calls of the last candidate up to the one that showed less."""
        self._alone = 0
        """Up to which call no searcher is asked."""
        self._places: list[tuple[int, Mark]] = []
        """Places in it, by the number of calls before them; the last is its end."""

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
        failed = entry.without_news(entry.idle)
        self._storage, self._waits = True, False
        shorter = self._run(entry, failed)
        if shorter is entry and failed:
            self._waits = True
            shorter = self._run(entry, failed)
            self._waits = shorter is not entry
        self._storage = False
        return self._attempt(shorter, shorter.idle)

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
            self._places = []
            return entry

    def _candidate(self, entry: Entry, dropped: frozenset[int]) -> Entry | None:
        """Run a sequence without some calls; None if it shows less."""
        left = without(entry.calls, dropped, self._longest, waits=self._waits)
        chosen = [
            _Wanted(call, entry.news[number], entry.outcomes[number])
            for number, call in left
        ]
        if dropped and len(chosen) == len(entry.calls):
            return None
        self._go_back(chosen)
        while len(self._made) < len(chosen):
            if not self._go_on(chosen):
                return None
            self._places.append((len(self._made), self._book.runner.mark()))
        ran = self._made
        return Entry(
            calls=tuple(each.record for each in ran),
            outcomes=tuple(each.outcome for each in ran),
            news=tuple(each.wanted.news for each in ran),
            idle=tuple(number for number, each in enumerate(ran) if each.is_idle),
            covering=tuple(each.covering for each in ran if each.covering is not None),
        )

    def _go_back(self, chosen: Sequence[_Wanted]) -> None:
        """Go back to where the last candidate begins to be another one."""
        if not self._places:
            self._book.runner.begin()
            self._made, self._places = [], [(0, self._book.runner.mark())]
        same = 0
        for made, wanted in zip(self._made, chosen, strict=False):
            # Of two calls that are the same each has something else to show.
            if made.wanted.call != wanted.call or made.wanted.news is not wanted.news:
                break
            same += 1
        while self._places[-1][0] > same:
            self._places.pop()
        at, mark = self._places[-1]
        self._book.runner.back(mark)
        again = [made.wanted for made in self._made[at:same]]
        # A searcher has made them: each other call has a place behind it. They are no
        # work once more, whoever makes them.
        if again and self._pass_over(again, idle=False) is None:
            self._repeat(again)
        del self._made[same:]
        self._alone = 0

    def _repeat(self, calls: Iterable[_Wanted]) -> None:
        """Make calls again that have nothing to show."""
        runner = self._book.runner
        for wanted in calls:
            message = runner.aim(bytearray(wanted.call), 0)
            assert message is not None, "they were made before"
            runner.call(message, harvests=False)

    def _go_on(self, chosen: Sequence[_Wanted]) -> bool:
        """Make the next calls of a candidate; return whether they show enough.

        That is all up to the next one that has something to show, or, if there is no
        searcher for these, a single call.
        """
        at, passed = len(self._made), None
        if at >= self._alone:
            stretch = [*takewhile(lambda wanted: not wanted.news, chosen[at:])]
            # Of a stretch that a searcher has not made it does not make the rest.
            self._alone = at + len(stretch)
            if stretch:
                passed = self._pass_over(stretch, idle=self._storage)
        if passed is None:
            made = self._make(chosen[at])
            if made is not None:
                self._made.append(made)
            return made is not None
        self._book.spending.work += passed.work
        # What was made before a call that fails is no work for the next candidate.
        fine = len(passed.endings) - passed.broken
        idle = passed.idle or [False] * fine
        self._made += [
            _Made(wanted, wanted.call, ending, is_idle)
            for wanted, ending, is_idle in zip(
                stretch[:fine], passed.endings[:fine], idle[:fine], strict=True
            )
        ]
        return not passed.broken

    def _pass_over(self, stretch: Sequence[_Wanted], *, idle: bool) -> Passed | None:
        """Let a searcher make calls that have nothing to show; None if it can't."""
        calls = [wanted.call for wanted in stretch]
        demanded = [wanted.must_succeed for wanted in stretch]
        book = self._book
        return book.runner.pass_over(book.tables, calls, demanded, idle=idle)

    def _make(self, wanted: _Wanted) -> _Made | None:
        """Make the next call of a candidate; None if it shows less."""
        runner, spending = self._book.runner, self._book.spending
        record, news = bytearray(wanted.call), wanted.news
        message = runner.aim(record, 0)
        spending.work += CALL_WORK
        if message is None:
            return None
        watch = self._watch_for(news)
        result = runner.call(message, watch, harvests=False).result
        spending.work += result.steps
        if wanted.must_succeed and not result.status.succeeded:
            return None
        if news and not self._book.recorder.shows(result, news):
            return None
        tests = self._book.tests
        if news.nearest and not tests.are_as_near(news.nearest, record, result):
            return None
        return _Made(
            wanted=wanted,
            record=bytes(record if result.overridden else without_override(record)),
            outcome=outcome(result),
            is_idle=watch.storage
            and not (result.writes or message.value or result.creations),
            covering=result if news.is_of_code else None,
        )

    def _watch_for(self, wanted: CoverageDelta) -> Watch:
        """Return what of a call has to be known: all else takes time."""
        full = self._full
        return _replaced(
            self._brief,
            coverage=full.coverage and wanted.is_of_code,
            edges=full.edges and bool(wanted.edges),
            states=full.states and bool(wanted.states),
            mappings=full.mappings and bool(wanted.states),
            pairs=full.pairs and bool(wanted.states),
            comparisons=bool(wanted.nearest),
            storage=self._storage,
            known=True,
        )


@cache
def _replaced(watch: Watch, **wanted: bool) -> Watch:
    """Return what `replace` does; each call of a candidate asks for one of a few."""
    return replace(watch, **wanted)


def without(
    calls: Sequence[bytes],
    dropped: frozenset[int],
    longest: tuple[int, int],
    *,
    waits: bool = False,
) -> Iterator[tuple[int, bytes]]:
    """Yield number and record of all calls but those that are dropped.

    Their delays are added to those of the call that follows.

    Args:
        calls: records.
        dropped: numbers of calls.
        longest: the most seconds and blocks that become the delays of a call.
        waits: whether calls stay that should be dropped, each at its time, where the
            next one would have more than that.
    """
    seconds = blocks = 0
    last: tuple[int, bytes] | None = None
    for number, call in enumerate(calls):
        if number not in dropped and not (seconds or blocks):
            yield number, call  # Most calls are as they were.
            continue
        own = _delays_of(call)
        is_longer = seconds + own[0] > longest[0] or blocks + own[1] > longest[1]
        if waits and last is not None and is_longer:
            yield last[0], _delayed(last[1], seconds, blocks)
            seconds = blocks = 0
        seconds = min(seconds + own[0], max(longest[0], own[0]))
        blocks = min(blocks + own[1], max(longest[1], own[1]))
        last = (number, call)
        if number not in dropped:
            yield number, _delayed(call, seconds, blocks)
            seconds, blocks, last = 0, 0, None


def _delayed(call: bytes, seconds: int, blocks: int) -> bytes:
    """Return a call with these delays."""
    if _delays_of(call) == (seconds, blocks):
        return call
    record = bytearray(call)
    set_call_delays(record, 0, seconds, blocks)
    return bytes(record)


def _delays_of(call: bytes) -> tuple[int, int]:
    """Return the seconds and blocks before a call."""
    record = bytearray(call)
    return call_time_delay(record, 0), call_block_delay(record, 0)
