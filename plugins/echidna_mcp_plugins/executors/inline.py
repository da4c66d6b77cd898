"""Executor `inline`: one task after the other in the campaign's own process.

The simplest executor: for tests, debugging and replay on a machine without processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from echidna_mcp.campaign.executor import ExecutorPlugin
from echidna_mcp.errors import UsageError
from echidna_mcp.events.event import Event
from echidna_mcp.plugins import hookimpl
from echidna_mcp.rounds.replica import WorkerSetup, relevant
from echidna_mcp.rounds.tasks import RoundResult, RoundTask, TaskFailure
from echidna_mcp_plugins.executors.local import LocalReplica


class InlineExecutor:
    """Runs tasks in the calling thread, on one replica."""

    physical_workers = 1

    def __init__(self, physical_workers: int = 0) -> None:
        if physical_workers > 1:
            raise UsageError(
                "The inline executor has one worker; use threads:N or processes:N."
            )
        self._replica: LocalReplica | None = None
        self._past: list[Event] = []

    def prepare(self, setup: WorkerSetup) -> None:
        """Build the replica."""
        self._replica = LocalReplica(setup)

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterator[RoundResult | TaskFailure]:
        """Fold the news and run the tasks in order."""
        assert self._replica is not None, "prepare comes first"
        self._past.extend(relevant(news))
        for task in tasks:
            yield self._replica.attempt(self._past, task)

    def close(self) -> None:
        """Drop the replica."""
        self._replica = None
        self._past = []


@hookimpl
def register_executors() -> Sequence[ExecutorPlugin]:
    """Offer this executor."""
    return [ExecutorPlugin("inline", InlineExecutor)]
