"""The executor seam: the only thing that knows where the tasks of a round run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event
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


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeStatistics:
    """What a machine did for a campaign.

    Attributes:
        tasks, calls: how many were run there.
        seconds: for which its workers have worked, all together.
        workers: how many it has now.
    """

    tasks: int
    seconds: float
    calls: int = 0
    workers: int = 0

    @property
    def rate(self) -> int:
        """Calls a second of all its workers, while all of them work."""
        return round(self.calls / self.seconds * self.workers) if self.seconds else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutorStatistics:
    """What an executor on several machines did; never part of a result.

    Attributes:
        nodes: by name for people.
        lost: workers that died, or were given up after a task had failed there.
        compared: second results of a task that were held against the first.
    """

    nodes: Mapping[str, NodeStatistics] = field(default_factory=dict)
    lost: int = 0
    compared: int = 0


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
