"""The execution of one sequence by a round: each call recorded, counted and judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from echidna_mcp.abi.revert import AbiError
from echidna_mcp.evm.backend import CallResult, Comparison, Status, Watch
from echidna_mcp.fuzz.records import call_function, call_length
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.rounds.backend import Judging, MadeCalls
from echidna_mcp.rounds.call_codec import outcome, without_override
from echidna_mcp.rounds.caller import Called
from echidna_mcp.rounds.foundry.discarded import is_discarded
from echidna_mcp.rounds.recorder import Executed, Recorder, sample_of
from echidna_mcp.rounds.replica import Replica
from echidna_mcp.rounds.running import Mark, Runner
from echidna_mcp.rounds.task_tests import Spending, TaskTests
from echidna_mcp.rounds.tasks import CALL_WORK, Counters, Sample

if TYPE_CHECKING:
    from echidna_mcp.rounds.tasks import RoundTask


def calls_of(sequence: bytes | bytearray) -> list[bytes]:
    """Return the call records of a sequence."""
    calls, at, records = [], 0, bytearray(sequence)
    while at < len(records):
        end = at + call_length(records, at)
        calls.append(bytes(records[at:end]))
        at = end
    return calls


class Step(NamedTuple):
    """What one call has shown.

    Attributes:
        comparisons: what it has compared; empty if it was not made, since there is no
            contract that it is for.
        compared: how many comparisons there were; those are the last of them.
        succeeded: 1 unless it failed.
        made: whether it was made.
        news: whether it was worth telling: new coverage, a test that is falsified.
    """

    comparisons: tuple[Comparison, ...]
    compared: int
    succeeded: int
    made: bool
    news: bool


@dataclass(slots=True)
class Made:
    """A call that was made, and how it ended."""

    function: int
    failed: bool = False
    discarded: bool = False


@dataclass(slots=True)
class Book:
    """What all executions of a task write to.

    Attributes:
        samples: calls that are logged.
        refused: why cheatcodes do not work, by cheatcode and where it was called.
        errors: custom ones that a call may have reverted with.
        tables: what the task generates from.
    """

    runner: Runner
    recorder: Recorder
    tests: TaskTests
    spending: Spending
    counters: Counters
    samples: list[Sample]
    refused: dict[tuple[str, str], str]
    errors: Sequence[AbiError]
    tables: FuzzTables

    def log(self, record: bytes, result: CallResult, *, injected: bool) -> None:
        """Log a call."""
        sample = sample_of(record, result, self.errors, injected=injected)
        self.samples.append(sample)


class Execution:
    """Executes the calls of a sequence; some can be undone.

    Attributes:
        ran: what was executed, as far as it was not undone.
        watch: what is to be known of each call.
    """

    def __init__(
        self,
        replica: Replica,
        task: RoundTask,
        book: Book,
        *,
        limit: int | None,
        injected: bool = False,
        sample_at: int = -1,
    ) -> None:
        """Begin a sequence.

        Args:
            replica: what it runs on.
            task: of the round.
            book: of the task.
            limit: work of the task at which it is cut short; None for one that is not,
                and whose calls do not count as those of the task's limit.
            injected: whether an agent asked for it: all of its calls are logged.
            sample_at: number of the call that is logged.
        """
        config = replica.target.config
        self._replica = replica
        self._book = book
        self._limit = limit
        self._injected = injected
        self._sample_at = sample_at
        self._length = config.seq_len
        self._last: Called | None = None
        watch = book.runner.watch
        self.watch = replace(watch, coverage=config.coverage, **task.news)
        # Of calls that show nothing: to learn what a call shows takes most of its time.
        self._brief = book.runner.watch
        if book.tests.finds_sites:
            self._brief = self.watch = replace(self.watch, trail=True)
        self._made: list[Made] = []
        self.ran = Executed()

    @property
    def tests(self) -> TaskTests:
        """The tests of the task."""
        return self._book.tests

    @property
    def ended(self) -> bool:
        """Whether nothing is left for another call."""
        spending = self._book.spending
        return self._limit is not None and (
            spending.work >= self._limit or not spending.calls_left
        )

    def run(self, calls: Sequence[bytes], passed: int = 0) -> None:
        """Make calls until they, or what is left for them, end.

        Args:
            calls: their records.
            passed: of how many of them it is known that they show nothing.
        """
        for number in self.left_to_make(calls):
            self.step(calls[number], passed=number < passed)
        self.end()

    def left_to_make(
        self, calls: Sequence[bytes], *, looking: bool = False
    ) -> Iterator[int]:
        """Yield the numbers of calls that no searcher makes, each when it is its turn.

        Args:
            calls: their records.
            looking: whether they show which outcomes comparisons have.
        """
        number = 0
        while number < len(calls) and not self.ended:
            number += self._let_searcher_make(calls[number:], looking=looking)
            if number < len(calls) and not self.ended:
                yield number
                number += 1

    def _let_searcher_make(self, calls: Sequence[bytes], *, looking: bool) -> int:
        """Let a searcher make the next calls that show nothing; return how many."""
        if self._limit is None or self._injected:
            return 0
        sampled = self._sample_at - len(self.ran.outcomes)
        if sampled >= 0:  # It is logged.
            calls = calls[:sampled]
        tests, spending = self._book.tests, self._book.spending
        if tests.open.at_end:  # They are told of the last call.
            calls = calls[:-1]
        if not calls:
            return 0
        left = self._limit - spending.work
        judging = Judging(
            tests.open.every, tests.values, left, spending.calls_left, looking
        )
        made = self._book.runner.make_calls(self._book.tables, calls, judging)
        if made is None:
            return 0
        count = len(made.calls)
        spending.calls_left -= count
        spending.work += made.work
        counters = self._book.counters
        counters.calls += count
        counters.reverts += made.reverts
        counters.gas += made.gas
        counters.steps += made.steps
        self._add_made(made)
        return count

    def _add_made(self, made: MadeCalls) -> None:
        """Add calls that a searcher has made to those of the sequence."""
        endings = zip(made.functions, made.endings, made.discarded, strict=True)
        for function, (_, status), discarded in endings:
            failed = not Status[status].succeeded
            self._made.append(Made(function, failed, discarded))
        self.ran.calls += b"".join(made.calls)
        self.ran.outcomes += made.endings

    def settled(self, call: bytes) -> bytes:
        """Return the next call as it would run."""
        record = bytearray(call)
        self._book.runner.settle(record)
        return bytes(record)

    def step(
        self,
        call: bytes,
        *,
        comparing: bool = False,
        nearing: bool = False,
        passed: bool = False,
    ) -> Step:
        """Make a call, record and judge it.

        Args:
            call: its record.
            comparing: whether what it compares is told.
            nearing: whether it is news how near that comes to other outcomes.
            passed: whether it is known to show nothing.
        """
        watch = self._brief if passed else self.watch
        if comparing:
            watch = replace(watch, comparisons=True)
        made = self._make(call, watch)
        if made is None:
            return Step((), 0, succeeded=0, made=False, news=False)
        called, record = made
        book, ran, result = self._book, self.ran, called.result
        found = book.tests.found
        added = book.recorder.record(result)
        if self._injected or len(ran.outcomes) - 1 == self._sample_at:
            book.log(bytes(record), result, injected=self._injected)
        book.tests.judge(ran.calls, called)
        if nearing:
            book.tests.look_at_waypoints(record, result)
        if book.tests.nearest:
            added = replace(added, nearest=tuple(book.tests.nearest))
        if added:
            ran.keep()
            ran.news[len(ran.outcomes) - 1] = added
        news = bool(added) or book.tests.found > found
        return Step(
            result.comparisons,
            result.compared,
            succeeded=int(result.status.succeeded),
            made=True,
            news=news,
        )

    def repeat(self, call: bytes) -> None:
        """Make a call again that has shown nothing; it counts, but is not judged."""
        self._make(call, self._brief)

    def retrace_all(self, calls: Sequence[bytes]) -> None:
        """Make calls that a searcher has made and counted: they have shown nothing."""
        if not calls:
            return
        made = self._book.runner.make_calls(self._book.tables, calls, None)
        if made is not None:
            self._add_made(made)
            return
        for call in calls:
            self.retrace(call)

    def retrace(self, call: bytes) -> None:
        """Make such a call, behind which is a place, or which is the last one."""
        record = bytearray(call)
        message = self._book.runner.aim(record, 0)
        assert message is not None, "the searcher has found whom it is for"
        self._made.append(Made(call_function(record, 0)))
        self._last = self._book.runner.call(message)
        self._add(record, self._last.result)

    def _make(self, call: bytes, watch: Watch) -> tuple[Called, bytearray] | None:
        record = bytearray(call)
        spending = self._book.spending
        message = self._book.runner.aim(record, 0)
        spending.work += CALL_WORK
        if message is None:
            return None
        spending.calls_left -= self._limit is not None
        counters = self._book.counters
        counters.calls += 1
        function = call_function(record, 0)
        self._made.append(Made(function))
        called = self._last = self._book.runner.call(message, watch)
        result = called.result
        if watch.trail:
            self._book.tests.look_at_site(called)
        for refusal in result.refused:
            signature = self._replica.target.functions[function].signature
            place = (refusal.cheatcode, signature)
            self._book.refused.setdefault(place, refusal.reason)
        counters.reverts += not result.status.succeeded
        counters.gas += result.gas_used
        counters.steps += result.steps
        spending.work += result.steps
        self._add(record, result)
        return called, record

    def _add(self, record: bytearray, result: CallResult) -> None:
        self._made[-1].failed = not result.status.succeeded
        self._made[-1].discarded = is_discarded(result)
        # An override that has replaced nothing shows nothing.
        self.ran.calls += record if result.overridden else without_override(record)
        self.ran.outcomes.append(outcome(result))

    def mark(self) -> tuple[Mark, int, int]:
        """Return the present place in the sequence, to go `back` to."""
        return self._book.runner.mark(), len(self.ran.calls), len(self.ran.outcomes)

    def back(self, mark: tuple[Mark, int, int]) -> None:
        """Undo all calls since a mark."""
        state, calls, outcomes = mark
        self._book.runner.back(state)
        del self.ran.calls[calls:]
        del self.ran.outcomes[outcomes:]
        del self._made[outcomes:]

    def made(self) -> list[Made]:
        """Return the calls that were made, as `count` counts them."""
        return self._made.copy()

    def count_instead(self, made: list[Made]) -> None:
        """Let `count` count these calls."""
        self._made = made

    def end(self) -> None:
        """Judge what is about the end of whole sequences."""
        if len(self.ran.outcomes) == self._length:
            self._book.tests.judge_end(self.ran.calls, self._last)

    def count(self) -> None:
        """Count the calls that the sequence has in the end as those of functions."""
        counters = self._book.counters
        counters.sequences += 1
        for made in self._made:
            counters.functions[made.function] += 1
            counters.failed[made.function] += made.failed
            counters.discarded[made.function] += made.discarded
