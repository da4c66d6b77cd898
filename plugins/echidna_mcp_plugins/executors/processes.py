"""Executor `processes`: long-lived worker processes that pull tasks.

Each process holds a replica of the campaign state and folds the committed events before
it runs a task. A process that dies, or whose replica may be in any state because a task
has failed, is replaced by one that folds the whole past.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import cast

from echidna_mcp.campaign.executor import ExecutorPlugin
from echidna_mcp.campaign.interrupts import interrupts_blocked
from echidna_mcp.events.event import Event
from echidna_mcp.plugins import hookimpl
from echidna_mcp.rounds.replica import Replica, WorkerSetup, relevant
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.tasks import RoundResult, RoundTask, TaskFailure
from echidna_mcp.tracebacks import traceback_text
from echidna_mcp_plugins.executors.priority import lower_priority

_JOIN_SECONDS = 2.0
_LEAVE_SECONDS = 0.5
"""A process that is idle leaves at once; what a busy one computes nobody waits for."""


class ProcessExecutor:
    """Runs tasks on spawned processes, `physical_workers` at once (0: one a core)."""

    def __init__(self, physical_workers: int = 0) -> None:
        self.physical_workers = physical_workers or os.cpu_count() or 1
        self._setup: WorkerSetup | None = None
        self._past: list[Event] = []
        self._workers: list[_Worker] = []

    def prepare(self, setup: WorkerSetup) -> None:
        """Start the processes."""
        self._setup = setup
        self._workers = [_Worker(setup) for _ in range(self.physical_workers)]

    def run(
        self, news: Sequence[Event], tasks: Sequence[RoundTask]
    ) -> Iterator[RoundResult | TaskFailure]:
        """Let the processes pull tasks until each has an answer."""
        self._past.extend(relevant(news))
        queue = deque(tasks)
        busy: dict[Connection, tuple[_Worker, RoundTask]] = {}
        idle = deque(self._workers)
        while queue or busy:
            while queue and idle:
                worker = idle.popleft()
                if worker.died_idle:
                    worker = self._replace(worker)
                task = queue.popleft()
                worker.send(self._past, task)
                busy[worker.connection] = (worker, task)
            for ready in wait(list(busy)):
                worker, task = busy.pop(cast("Connection", ready))
                answer = worker.receive()
                if isinstance(answer, RoundResult):
                    idle.append(worker)
                    yield answer
                else:
                    idle.append(self._replace(worker))
                    yield TaskFailure(task=task, reason=answer)

    def _replace(self, worker: _Worker) -> _Worker:
        assert self._setup is not None
        worker.close()
        replacement = _Worker(self._setup)
        self._workers[self._workers.index(worker)] = replacement
        return replacement

    def close(self) -> None:
        """End the processes, all at once."""
        for worker in self._workers:
            worker.dismiss()
        deadline = time.monotonic() + _LEAVE_SECONDS
        for worker in self._workers:
            worker.close(deadline - time.monotonic())
        self._workers = []


class _Worker:
    """A process and how much of the past it has folded."""

    def __init__(self, setup: WorkerSetup) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._folded = 0
        self._idle = False
        self._process: SpawnProcess = context.Process(
            target=_serve, args=(theirs, setup), name="echidna-mcp-worker", daemon=True
        )
        with interrupts_blocked():
            self._process.start()
        theirs.close()

    @property
    def died_idle(self) -> bool:
        """Whether the process has answered, and has ended since: no task did that."""
        return self._idle and not self._process.is_alive()

    def send(self, past: list[Event], task: RoundTask) -> None:
        """Hand over a task and the events that the process has not seen."""
        self._idle = False
        news = past[self._folded :]
        self._folded = len(past)
        with contextlib.suppress(OSError):  # `receive` reports a dead process.
            self.connection.send((news, task))

    def receive(self) -> RoundResult | str:
        """Return the result, or why there is none."""
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            self._process.join(_JOIN_SECONDS)
            return f"the worker process ended with code {self._process.exitcode}"
        assert isinstance(answer, RoundResult | str)
        self._idle = isinstance(answer, RoundResult)
        return answer

    def dismiss(self) -> None:
        """Close the pipe; the process leaves by itself when it sees that."""
        self.connection.close()

    def close(self, patience: float = _LEAVE_SECONDS) -> None:
        """End the process, by force if it does not leave within so many seconds."""
        self.dismiss()
        self._process.join(max(patience, 0))
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()


def _serve(connection: Connection, setup: WorkerSetup) -> None:
    """Answer tasks until the pipe closes. Runs in the worker process."""
    _ignore_signals()
    lower_priority(setup.nice)
    with contextlib.suppress(EOFError, ConnectionError):  # The campaign is gone.
        try:
            replica = Replica(setup)
            while True:
                news, task = connection.recv()
                replica.fold(news)
                connection.send(run_round(replica, task))
        except (EOFError, ConnectionError):
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it is, the task failed
            connection.send(traceback_text(error))


def _ignore_signals() -> None:
    """Leave signals to the campaign, which ends us by closing the pipe."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


@hookimpl
def register_executors() -> Sequence[ExecutorPlugin]:
    """Offer this executor."""
    return [ExecutorPlugin("processes", ProcessExecutor)]
