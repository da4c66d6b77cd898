"""Executor `threads`: tasks run on threads of the campaign's own process.

Made for backends that search in native code without the interpreter lock; others gain
nothing from a second thread. A fault of native code would take the campaign with it
(the store keeps all but the open round); `processes` keeps such faults apart.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue

from echidna_mcp.campaign.executor import ExecutorPlugin
from echidna_mcp.events.event import Event
from echidna_mcp.plugins import hookimpl
from echidna_mcp.rounds.replica import WorkerSetup, relevant
from echidna_mcp.rounds.tasks import RoundResult, RoundTask, TaskFailure
from echidna_mcp_plugins.executors.local import LocalReplica
from echidna_mcp_plugins.executors.priority import lower_priority

_LEAVE_SECONDS = 0.5
"""A thread that is idle leaves at once; what a busy one computes nobody waits for."""


class ThreadExecutor:
    """Runs tasks on `physical_workers` threads at once (0: one a core)."""

    def __init__(self, physical_workers: int = 0) -> None:
        self.physical_workers = physical_workers or os.cpu_count() or 1
        self._past: list[Event] = []
        self._threads: list[threading.Thread] = []
        self._tasks: SimpleQueue[_Job | None] = SimpleQueue()

    def prepare(self, setup: WorkerSetup) -> None:
        """Build a replica for each thread."""
        for number in range(self.physical_workers):
            # Daemons: a task may be abandoned in the midst of a very long round.
            thread = threading.Thread(
                target=_work,
                args=(LocalReplica(setup), self._past, self._tasks, setup.nice),
                name=f"echidna-mcp-worker-{number}",
                daemon=True,
            )
            self._threads.append(thread)
            thread.start()

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterator[RoundResult | TaskFailure]:
        """Let the threads pull tasks until each has an answer."""
        self._past.extend(relevant(news))
        results: SimpleQueue[RoundResult | TaskFailure] = SimpleQueue()
        for task in tasks:
            self._tasks.put((task, results))
        for _ in tasks:
            yield results.get()

    def close(self) -> None:
        """Let the threads end."""
        with suppress(Empty):  # A thread may take the last task meanwhile.
            while True:
                self._tasks.get_nowait()
        for _ in self._threads:
            self._tasks.put(None)
        deadline = time.monotonic() + _LEAVE_SECONDS
        for thread in self._threads:
            thread.join(max(deadline - time.monotonic(), 0))
        self._threads = []


_Job = tuple[RoundTask, "SimpleQueue[RoundResult | TaskFailure]"]
"""A task, and where its answer goes."""


def _work(
    replica: LocalReplica,
    past: Sequence[Event],
    tasks: SimpleQueue[_Job | None],
    nice: int,
) -> None:
    """Run tasks until there is a None among them."""
    if sys.platform == "linux":  # Elsewhere it would be for the whole process.
        lower_priority(nice)
    while (job := tasks.get()) is not None:
        task, results = job
        results.put(replica.attempt(past, task))


@hookimpl
def register_executors() -> Sequence[ExecutorPlugin]:
    """Offer this executor."""
    return [ExecutorPlugin("threads", ThreadExecutor)]
