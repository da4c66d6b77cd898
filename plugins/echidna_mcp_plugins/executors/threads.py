"""Executor `threads`: tasks run on threads of the campaign's own process.

Made for backends that search in native code without the interpreter lock; others gain
nothing from a second thread. A fault of native code would take the campaign with it
(the store keeps all but the open round); `processes` keeps such faults apart.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from queue import SimpleQueue

from echidna_mcp.campaign.executor import ExecutorPlugin
from echidna_mcp.campaign.replica import relevant
from echidna_mcp.campaign.tasks import RoundResult, RoundTask, WorkerSetup
from echidna_mcp.events.event import Event
from echidna_mcp.plugins import hookimpl
from echidna_mcp_plugins.executors.local import LocalReplica


class ThreadExecutor:
    """Runs tasks on `physical_workers` threads at once (0: one a core)."""

    def __init__(self, physical_workers: int = 0) -> None:
        self.physical_workers = physical_workers or os.cpu_count() or 1
        self._past: list[Event] = []
        # Whichever thread is free takes whichever replica is free: they are all alike.
        self._replicas: SimpleQueue[LocalReplica] = SimpleQueue()
        self._pool: ThreadPoolExecutor | None = None

    def prepare(self, setup: WorkerSetup) -> None:
        """Build a replica for each thread."""
        self._pool = ThreadPoolExecutor(self.physical_workers, "echidna-mcp-worker")
        for _ in range(self.physical_workers):
            self._replicas.put(LocalReplica(setup))

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterator[RoundResult]:
        """Let the threads pull tasks until each has a result."""
        assert self._pool is not None, "prepare comes first"
        self._past.extend(relevant(news))
        running: list[Future[RoundResult]] = [
            self._pool.submit(self._attempt, task) for task in tasks
        ]
        try:
            for done in as_completed(running):
                yield done.result()
        finally:
            for future in running:  # The round was given up.
                future.cancel()

    def _attempt(self, task: RoundTask) -> RoundResult:
        replica = self._replicas.get()
        try:
            return replica.attempt(self._past, task)
        finally:
            self._replicas.put(replica)

    def close(self) -> None:
        """End the threads; tasks that run are waited for."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        self._pool = None
        self._past = []


@hookimpl
def register_executors() -> Sequence[ExecutorPlugin]:
    """Offer this executor."""
    return [ExecutorPlugin("threads", ThreadExecutor)]
