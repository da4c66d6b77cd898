"""Shrinking a reproducer, as a share of the work of a round.

Candidates come from `fuzz.shrink` in a fixed order. A candidate that still falsifies
the test, or does not lower the value of an optimization test, becomes the reproducer,
and the cursor stays; otherwise the cursor moves on.
When a whole pass over all candidates brought nothing, the reproducer is minimal: no
call can be left out and no value can be made simpler by any one step.

A searcher tries the candidates of which it is certain what they show. What it stops at
is run and judged here, and so is the last one that it has accepted, to say why the test
fails.
"""

from __future__ import annotations

from dataclasses import replace

from echidna_mcp.errors import CapacityError
from echidna_mcp.fuzz.records import call_length
from echidna_mcp.fuzz.shrink_value import NO_MORE, UNCHANGED
from echidna_mcp.fuzz.tables import FuzzTables
from echidna_mcp.rounds.caller import Called
from echidna_mcp.rounds.judge import Verdict
from echidna_mcp.rounds.replica import Replica
from echidna_mcp.rounds.running import Runner
from echidna_mcp.rounds.tasks import CALL_WORK, ShrinkProgress, ShrinkTask


def shrink(
    replica: Replica,
    runner: Runner,
    tables: FuzzTables,
    task: ShrinkTask,
    budget: int,
) -> tuple[ShrinkProgress, int]:
    """Shrink for at most `budget` work units; return the progress and the work done."""
    search = _Search(replica, runner, tables, task)
    while search.goes_on(budget):
        search.search(budget)
        if search.goes_on(budget):
            search.step()
    search.explain()
    return search.progress(), search.work


class _Search:
    def __init__(
        self,
        replica: Replica,
        runner: Runner,
        tables: FuzzTables,
        task: ShrinkTask,
    ) -> None:
        self._replica = replica
        self._runner = runner
        self._tables = tables
        self._task = task
        self._test = replica.target.tests[task.test]
        self._limit = replica.target.config.shrink_limit
        self._best = bytearray(task.sequence)
        self._cursor = task.cursor
        self._improved = task.improved
        self._attempts = task.attempts
        self._reason: str | None = None
        self._value = task.value
        self._last: Called | None = None
        self._explained = True
        self.done = self._attempts >= self._limit
        self.work = 0

    def goes_on(self, budget: int) -> bool:
        """Whether a candidate may be tried with what is left of a budget."""
        # Without its answer a candidate has shown nothing: no other one comes after it.
        return not (self.done or self.work >= budget or self._runner.missing)

    def search(self, budget: int) -> None:
        """Let the searcher try candidates, up to one about which there is a doubt."""
        searcher = self._replica.searcher
        if searcher is None:
            return
        tried = searcher.try_candidates(
            self._tables,
            self._best,
            self._cursor,
            self._task.test,
            self._value,
            budget - self.work,
            self._limit - self._attempts,
            sited=self._task.site is not None,
        )
        self.work += tried.work
        self._cursor = tried.cursor
        self._attempts += tried.attempts
        if tried.accepted is not None:
            self._accept(tried.accepted)
            self._explained = False
        self.done = self._attempts >= self._limit

    def step(self) -> None:
        """Try the candidate under the cursor."""
        out = self._replica.out
        end = self._replica.kernels.shrink_candidate(
            self._tables, self._best, len(self._best), self._cursor, out
        )
        if end == NO_MORE:
            self.done = not self._improved
            self._cursor, self._improved = 0, False
        elif end == UNCHANGED:
            self._cursor += 1
        elif verdict := self._verdict(candidate := out[:end]):
            self._accept(candidate)
            self._reason, self._explained = verdict.reason, True
            self._value = verdict.value
        else:
            self._cursor += 1

    def _accept(self, candidate: bytearray) -> None:
        """Make a candidate the reproducer."""
        self._best = candidate
        self._improved = True

    def explain(self) -> None:
        """Run the reproducer, if the searcher has accepted it, to say why."""
        if self._explained:
            return
        self._runner.begin()
        work = self.work
        verdict = self._run(self._best)
        self.work = work  # It is counted.
        assert verdict is not None, "a searcher accepts what falsifies the test"
        self._reason = verdict.reason

    def _verdict(self, sequence: bytearray) -> Verdict | None:
        """Try a candidate; None if it is not as good as the reproducer.

        One that there is no room for has shown nothing.
        """
        self._attempts += 1
        self.done = self._attempts >= self._limit
        self._runner.begin()
        try:
            verdict = self._run(sequence)
        except CapacityError as error:
            self.work += self._runner.give_up(error) + CALL_WORK
            return None
        if verdict is None or is_worse(verdict, self._value):
            return None
        return verdict if self._is_there(verdict) else None

    def _is_there(self, verdict: Verdict) -> bool:
        """Whether a candidate fails where its source does."""
        if self._task.site is None or self._last is None:
            return True
        site = self._replica.sites.site(self._last.result, verdict.reason)
        return site.key == self._task.site

    def _run(self, sequence: bytearray) -> Verdict | None:
        """Run a candidate and judge the test in its final state."""
        replica = self._replica
        watch = self._runner.watch
        if self._task.site is not None:
            watch = replace(watch, trail=True)
        last: Called | None = None
        at = 0
        while at < len(sequence):
            message = self._runner.aim(sequence, at)
            if message is not None:
                last = self._runner.call(message, watch)
                self.work += last.result.steps
            self.work += CALL_WORK
            at += call_length(sequence, at)
        self._last = last
        before = replica.judge.steps
        verdict = self._runner.verdict(self._test, last)
        self.work += replica.judge.steps - before + CALL_WORK
        return verdict

    def progress(self) -> ShrinkProgress:
        """Return how far the search got."""
        return ShrinkProgress(
            test=self._task.test,
            sequence=bytes(self._best),
            cursor=self._cursor,
            improved=self._improved,
            attempts=self._attempts,
            done=self.done,
            shorter=bytes(self._best) != self._task.sequence,
            reason=self._reason,
            value=self._value,
            finding=self._task.finding,
        )


def is_worse(verdict: Verdict, value: int | None) -> bool:
    """Whether what a candidate has shown is less than what its source has.

    Args:
        verdict: of the candidate.
        value: of the source; None if the test is falsified.
    """
    return value is not None and (verdict.value is None or verdict.value < value)
