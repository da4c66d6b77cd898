"""Second attempts, in a fresh process, of tasks and confirmations that failed.

What an EVM does is a result. An exception of ours is none: it may come from an import
that another thread has begun, from memory that is short, from a process that somebody
killed. A task is pure, so running it once more where nothing has happened before gives
the result that it always has, and no trace of the accident. If it fails there as well,
the defect is in the task itself, and the campaign stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from echidna_mcp.campaign.crash import Crash, CrashError
from echidna_mcp.campaign.executor import Executor, HasStatistics
from echidna_mcp.campaign.fresh import Elsewhere, FreshProcessError, in_fresh_process
from echidna_mcp.errors import CapacityError
from echidna_mcp.events.event import Event
from echidna_mcp.reports.machines import ExecutorStatistics
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.confirmation import (
    Claim,
    Confirmation,
    Reference,
    Testimony,
    judge_alone,
)
from echidna_mcp.rounds.replica import Replica, WorkerSetup, relevant
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.tasks import RoundResult, RoundTask, TaskFailure
from echidna_mcp.tracebacks import traceback_text
from echidna_mcp.views.campaign import CampaignViews


@contextmanager
def _last_attempt(crash: Crash) -> Iterator[None]:
    """Make a defect of what failed, if it fails in a fresh process as well.

    Raises:
        CrashError: it does.
    """
    try:
        yield
    except FreshProcessError as error:
        failures = (*crash.failures, str(error))
        raise CrashError(replace(crash, failures=failures)) from error


class ReliableExecutor:
    """Runs the tasks of a round on an executor; each gives a result.

    Attributes:
        executor: that executor.
    """

    def __init__(
        self, executor: Executor, elsewhere: Elsewhere = in_fresh_process
    ) -> None:
        self.executor = executor
        self._elsewhere = elsewhere
        self._setup: WorkerSetup | None = None
        self._past: list[Event] = []

    @property
    def physical_workers(self) -> int:
        """How many tasks run at once."""
        return self.executor.physical_workers

    @property
    def statistics(self) -> ExecutorStatistics | None:
        """What the machines of the executor did; None if it has none to speak of."""
        executor = self.executor
        return executor.statistics if isinstance(executor, HasStatistics) else None

    def prepare(self, setup: WorkerSetup) -> None:
        """Take program, config and backend; called once, before the first round."""
        self._setup = setup
        self.executor.prepare(setup)

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterator[RoundResult]:
        """Run one round; see `Executor.run`.

        Raises:
            CrashError: a task failed twice.
        """
        kept = relevant(news)
        self._past.extend(kept)
        # It keeps the same ones, not others that are alike.
        for answer in self.executor.run(kept, tasks):
            if isinstance(answer, TaskFailure):
                yield self._again(answer)
            else:
                yield answer

    def _again(self, failed: TaskFailure) -> RoundResult:
        assert self._setup is not None, "prepare comes first"
        task = failed.task
        crash = Crash(
            round=task.round, worker=task.worker, job=task, failures=(failed.reason,)
        )
        with _last_attempt(crash):
            return self._elsewhere(run_alone, self._setup, self._past, task)

    def close(self) -> None:
        """Release what the executor holds."""
        self.executor.close()
        self._past = []


def run_alone(
    setup: WorkerSetup, past: Sequence[Event], task: RoundTask
) -> RoundResult:
    """Run a task on a replica that is made for it."""
    replica = Replica(setup)
    replica.fold(past)
    return run_round(replica, task)


class ReliableReference:
    """A reference that judges a claim again, in a fresh process, if it failed."""

    def __init__(
        self,
        views: CampaignViews,
        reference: BackendPlugin,
        elsewhere: Elsewhere = in_fresh_process,
    ) -> None:
        self._views = views
        self._plugin = reference
        self._here = Reference(views, reference)
        self._elsewhere = elsewhere

    def __call__(
        self, number: int, claim: Claim, cancelled: Callable[[], bool]
    ) -> Testimony:
        """Return what the reference says; see `Judging`.

        Raises:
            CrashError: it can't run the sequence, in a fresh process neither.
        """
        try:
            return self._here(number, claim, cancelled)
        except CapacityError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again
            reason = traceback_text(error)
        crash = Crash(round=number, worker=claim.worker, job=claim, failures=(reason,))
        with _last_attempt(crash):
            return self._elsewhere(
                judge_alone,
                self._views.target,
                self._views.outside.answers,
                self._plugin,
                claim.test,
                claim.sequence,
            )


def reliable_confirmation(views: CampaignViews, backend: BackendPlugin) -> Confirmation:
    """Return a confirmation whose reference is a `ReliableReference`."""
    return Confirmation(views, backend, ReliableReference(views, backend.trusted))
