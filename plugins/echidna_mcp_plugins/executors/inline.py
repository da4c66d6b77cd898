"""Executor `inline`: one task after the other in the campaign's own process.

The simplest executor: for tests, debugging and replay on a machine without processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from echidna_mcp.campaign.executor import ExecutorPlugin
from echidna_mcp.campaign.failure import failure
from echidna_mcp.campaign.replica import Replica, relevant
from echidna_mcp.campaign.round import run_round
from echidna_mcp.campaign.tasks import RoundResult, RoundTask, WorkerSetup
from echidna_mcp.errors import UsageError
from echidna_mcp.events.event import Event
from echidna_mcp.plugins import hookimpl


class InlineExecutor:
    """Runs tasks in the calling thread, on one replica."""

    physical_workers = 1

    def __init__(self, physical_workers: int = 0) -> None:
        if physical_workers > 1:
            raise UsageError("The inline executor has one worker; use processes:N.")
        self._setup: WorkerSetup | None = None
        self._replica: Replica | None = None
        self._past: list[Event] = []

    def prepare(self, setup: WorkerSetup) -> None:
        """Build the replica."""
        self._setup = setup
        self._replica = Replica(setup)

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterator[RoundResult]:
        """Fold the news and run the tasks in order."""
        assert self._replica is not None, "prepare comes first"
        self._past.extend(relevant(news))
        self._replica.fold(news)
        for task in tasks:
            yield self._attempt(task)

    def _attempt(self, task: RoundTask) -> RoundResult:
        assert self._replica is not None
        assert self._setup is not None
        try:
            return run_round(self._replica, task)
        except Exception as error:  # noqa: BLE001  the campaign decides what it means
            # A task is pure, so it would fail again. Its EVM may be in any state.
            self._replica = Replica(self._setup)
            self._replica.fold(self._past)
            return RoundResult(worker=task.worker, abandoned=failure(error))

    def close(self) -> None:
        """Drop the replica."""
        self._replica = None
        self._past = []


@hookimpl
def register_executors() -> Sequence[ExecutorPlugin]:
    """Offer this executor."""
    return [ExecutorPlugin("inline", InlineExecutor)]
