"""The executor seam: the only thing that knows where the tasks of a round run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event
    from echidna_mcp.reports.machines import ExecutorStatistics
    from echidna_mcp.rounds.replica import WorkerSetup
    from echidna_mcp.rounds.tasks import RoundResult, RoundTask, TaskFailure


class Executor(Protocol):
    """Runs pure tasks; the order of its results carries no meaning."""

    @property
    def physical_workers(self) -> int:
        """How many tasks run at once."""
        ...

    def prepare(self, setup: WorkerSetup) -> None:
        """Take program, config and backend; called once, before the first round."""
        ...

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterable[RoundResult | TaskFailure]:
        """Run one round, or once more those of its tasks that lacked an answer.

        Args:
            news: events since the last call, which are or will be committed; each
                replica folds them, so that every task sees the same state wherever it
                runs.
            tasks: at most one a logical worker.

        Returns:
            An answer for each task, in any order. A task that could not be run is a
            failure; what becomes of it is not the executor's to decide
            (`campaign.reliable`).
        """
        ...

    def close(self) -> None:
        """Release processes; the executor can't be used again."""
        ...


@runtime_checkable
class HasStatistics(Protocol):
    """An executor that can tell what its machines did."""

    @property
    def statistics(self) -> ExecutorStatistics:
        """What was done so far."""
        ...


@dataclass(frozen=True, slots=True)
class ExecutorPlugin:
    """A named executor. `create` takes the number of physical workers; 0 means auto."""

    name: str
    create: Callable[[int], Executor]
