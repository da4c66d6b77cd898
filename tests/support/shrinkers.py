"""Shrinking random sequences, with the native searcher and without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from native_backends import named

from echidna_mcp.fuzz.rng import RNG_WORDS, derive
from echidna_mcp.kernel.language.memory import words
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import join, split
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.running import Runner
from echidna_mcp.rounds.shrinking import shrink
from echidna_mcp.rounds.tasks import RoundTask, ShrinkProgress, ShrinkTask

SEED = 7
VALUE = 100
"""What optimization tests have to keep."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunk:
    """All that shrinking for one budget tells, which must not depend on who runs it."""

    progress: ShrinkProgress
    work: int
    lost: Any
    missing: Any
    refused: dict[tuple[str, str], str]


class Shrinker:
    """Shrinks on one replica.

    Attributes:
        replica: the replica.
        calls: how many messages Python has run on it.
    """

    def __init__(self, target: FuzzTarget, backend: str | BackendPlugin) -> None:
        plugin = named(backend) if isinstance(backend, str) else backend
        self.replica = Replica(WorkerSetup(target, plugin))
        self.calls = 0
        task = RoundTask(round=2, worker=0, budget=1)
        self._tables = self.replica.tables(task)
        # What is shrunk has run: nothing of it is yet to be taken from calls before.
        self._tables.harvest = 0
        if self.replica.searcher is not None:
            self.replica.searcher.begin(task)

    def sequences(self, count: int, seed: int = SEED) -> Iterator[bytes]:
        """Yield random sequences of calls."""
        replica, rng = self.replica, words([0] * RNG_WORDS)
        derive(rng, seed, 1, 0, 0)
        for _ in range(count):
            end = replica.kernels.build_sequence(
                self._tables, rng, bytearray(), words([]), 0, replica.out
            )
            yield bytes(replica.out[:end])

    def cut(self, sequence: bytes, test: int) -> bytes:
        """Return a sequence up to the last call that a test can be about.

        Reproducers of assertion tests end there.
        """
        target = self.replica.target
        case = target.tests[test]
        calls = split(sequence)
        wanted = case.callee, case.selector
        while case.kind == "assertion" and calls:
            function = calls[-1].function
            if (
                target.callee_of[function],
                target.functions[function].selector,
            ) == wanted:
                break
            calls.pop()
        return join(calls)

    def shrink(
        self, test: int, sequence: bytes, budgets: Sequence[int], *, native: bool
    ) -> list[Shrunk]:
        """Shrink for one budget after the other, as the rounds of a campaign do.

        Args:
            test: index of the test.
            sequence: call records; they need not falsify the test.
            budgets: work units.
            native: whether the searcher takes part.
        """
        found = []
        with self._watched(native=native):
            kind = self.replica.target.tests[test].kind
            task = ShrinkTask(
                test=test,
                sequence=sequence,
                cursor=0,
                improved=False,
                attempts=0,
                value=VALUE if kind == "optimization" else None,
            )
            for budget in budgets:
                each = self._shrink(task, budget)
                found.append(each)
                done = each.progress
                if done.done:
                    break
                task = ShrinkTask(
                    test=test,
                    sequence=done.sequence,
                    cursor=done.cursor,
                    improved=done.improved,
                    attempts=done.attempts,
                    value=done.value,
                )
        return found

    def _shrink(self, task: ShrinkTask, budget: int) -> Shrunk:
        runner = Runner(self.replica)
        progress, work = shrink(self.replica, runner, self._tables, task, budget)
        refused = dict(self.replica.judge.refused)
        self.replica.judge.refused.clear()
        return Shrunk(
            progress=progress,
            work=work,
            lost=runner.lost,
            missing=runner.missing,
            refused=refused,
        )

    @contextmanager
    def _watched(self, *, native: bool) -> Iterator[None]:
        """Count messages that Python runs, and let the searcher take part or not."""
        replica: Any = self.replica
        searcher, call = replica.searcher, replica.backend.call

        def counted(*arguments: Any) -> Any:
            self.calls += 1
            return call(*arguments)

        replica.backend.call = counted
        replica.searcher = searcher if native else None
        try:
            yield
        finally:
            replica.searcher = searcher
            del replica.backend.call
