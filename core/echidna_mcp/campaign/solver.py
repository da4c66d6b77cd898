"""The solver's jobs in processes of their own, beside the fuzzing.

A job is pure, so it matters to nobody where it runs, or how often: one whose process
was killed runs again. What comes of it is needed in a certain round, whose barrier
waits.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait
from threading import Thread
from typing import Final

from echidna_mcp.campaign.fresh import Elsewhere, FreshProcessError, in_fresh_process
from echidna_mcp.campaign.interrupts import interruptibly, interrupts_blocked
from echidna_mcp.campaign.start_state import start_state
from echidna_mcp.events.payloads import SolverAnswered
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.solving.exploring import Exploration
from echidna_mcp.solving.jobs import Answer, Job, payload_of
from echidna_mcp.solving.running import Shadow
from echidna_mcp.solving.solver import SolverPlugin
from echidna_mcp.solving.state import StartState
from echidna_mcp.views.solving import SolvingView

logger: Final = logging.getLogger(__name__)

_PROCESSES: Final = 2
_POLL_SECONDS: Final = 0.2
_LONGEST_SECONDS: Final = 120.0
"""After which a job is given up: a solver hangs that was asked to stop."""
_MOST_STARTS: Final = 4
"""Of a job whose process dies; the last time it has found nothing."""
_MOST_DEATHS: Final = 8
"""In a row, after which no more processes are started."""


@dataclass(frozen=True, slots=True)
class SolverSetup:
    """What is needed to run jobs.

    Attributes:
        backend: on which the target is deployed, once; processes get what stands then.
        nice: by how much the priority of processes is lowered.
    """

    target: FuzzTarget
    backend: BackendPlugin
    solver: SolverPlugin
    nice: int = 0


@dataclass(frozen=True, slots=True)
class _Given:
    """What a process of the pool gets. Picklable: it loads no EVM."""

    target: FuzzTarget
    start: StartState
    solver: SolverPlugin
    nice: int


class SolverPool:
    """Runs the jobs of a campaign; its processes start with the first one."""

    def __init__(
        self,
        setup: SolverSetup,
        view: SolvingView,
        elsewhere: Elsewhere = in_fresh_process,
    ) -> None:
        """Run the jobs of a view.

        Args:
            setup: what is needed for that.
            view: tells the jobs.
            elsewhere: where the start state is computed if that fails here.
        """
        self._setup = setup
        self._elsewhere = elsewhere
        self._view = view
        self._start: StartState | None = None
        self._processes: ProcessPoolExecutor | None = None
        self._deaths = 0
        self._running: dict[int, Future[Answer]] = {}
        self._pools: dict[int, ProcessPoolExecutor] = {}
        """In which each job runs."""

    def begin(self) -> None:
        """Begin the jobs that were chosen and do not run yet."""
        for job in self._view.pending:
            if job.number not in self._running:
                self._running[job.number] = self._submit(job)

    def _submit(self, job: Job) -> Future[Answer]:
        if self._deaths >= _MOST_DEATHS:
            return _settled(Answer(number=job.number))
        start = self._start or self._start_state()
        if start is None:
            return _settled(Answer(number=job.number))
        for _ in range(_MOST_STARTS):
            if self._processes is None:
                self._processes = ProcessPoolExecutor(
                    min(_PROCESSES, os.cpu_count() or 1),
                    mp_context=get_context("spawn"),
                    initializer=_prepare,
                    initargs=(self._given(start),),
                )
            with interrupts_blocked():
                try:
                    future = self._processes.submit(_explore, job)
                except BrokenProcessPool:
                    self._drop()
                    continue
            self._pools[job.number] = self._processes
            return future
        return _settled(Answer(number=job.number))

    def _given(self, start: StartState) -> _Given:
        setup = self._setup
        return _Given(setup.target, start, setup.solver, setup.nice)

    def _start_state(self) -> StartState | None:
        """Deploy the target; return what stands then, None if that can't be told.

        There was room for it when the campaign began. If there is none now, a process
        that has done nothing else has some.
        """
        backend, target = self._setup.backend, self._setup.target
        try:
            self._start = interruptibly(lambda: start_state(backend, target))
        except Exception:
            logger.debug("The target is deployed elsewhere.", exc_info=True)
            try:
                self._start = self._elsewhere(start_state, backend, target)
            except FreshProcessError as error:
                why = str(error).rstrip().rpartition("\n")[2]
                logger.warning("The solver is off: no start state for it (%s).", why)
                self._deaths = _MOST_DEATHS
        return self._start

    def answers(
        self, number: int, cancelled: Callable[[], bool] = lambda: False
    ) -> Sequence[SolverAnswered]:
        """Return what takes effect in a round; wait for it.

        Args:
            number: of the round.
            cancelled: asked while it waits; once it is true nothing is returned.
        """
        self.begin()
        found = []
        for job in self._view.due(number):
            answer = self._answer(job, cancelled)
            if answer is None:
                return ()
            self._running.pop(job.number, None)
            self._pools.pop(job.number, None)
            found.append(payload_of(job, answer, self._setup.target))
        return found

    def _answer(self, job: Job, cancelled: Callable[[], bool]) -> Answer | None:
        """Return what comes of a job; None if nobody waits for it any more."""
        nothing = Answer(number=job.number)
        waited = 0.0
        starts = 1
        while not cancelled():
            try:
                answer = self._running[job.number].result(_POLL_SECONDS)
            except NotYet:
                waited += _POLL_SECONDS
                if waited < _LONGEST_SECONDS:
                    continue
                logger.warning("A job of the solver hangs; it has found nothing.")
                self._kill()
                del self._running[job.number]
                self._begin_again()
                return nothing
            except (BrokenProcessPool, CancelledError):
                self._deaths += 1
                self._restart(job, again=starts < _MOST_STARTS)
                if starts == _MOST_STARTS:
                    logger.warning("The solver dies of a job; it has found nothing.")
                    return nothing
                starts += 1
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
                logger.warning("The solver has failed at a job (%s).", why)
                logger.debug("It failed here.", exc_info=True)
                return nothing
            else:
                if self._deaths < _MOST_DEATHS:
                    self._deaths = 0
                return answer
        return None

    def _restart(self, job: Job, *, again: bool) -> None:
        """Begin a job again of which the process died; others that died with it, too.

        If they have been begun again already, in new processes, then only this one. If
        it is not to be begun again, then only they.
        """
        if not again:
            del self._running[job.number]
        if self._pools.get(job.number) is self._processes:
            self._drop()
            self._begin_again()
        elif again:
            self._running[job.number] = self._submit(job)

    def _begin_again(self) -> None:
        """Begin all jobs again that have no result, in new processes."""
        for job in self._view.pending:
            future = self._running.get(job.number)
            if future is not None and not _has_result(future):
                self._running[job.number] = self._submit(job)

    def _drop(self) -> None:
        """Forget processes of which one has died."""
        if self._processes is not None:
            self._processes.shutdown(wait=False, cancel_futures=True)
            self._processes = None

    def _kill(self) -> None:
        if self._processes is None:
            return
        # There is no other way to end what runs before Python 3.14.
        for process in list((self._processes._processes or {}).values()):  # noqa: SLF001
            with suppress(OSError):
                process.kill()
        self._drop()

    def close(self) -> None:
        """End the processes; what they compute nobody waits for."""
        self._running.clear()
        self._kill()


def _has_result(future: Future[Answer]) -> bool:
    """Whether a job came to its end, be it that it failed."""
    if not future.done() or future.cancelled():
        return False
    return not isinstance(future.exception(), BrokenProcessPool)


def _settled(answer: Answer) -> Future[Answer]:
    future: Future[Answer] = Future()
    future.set_result(answer)
    return future


@dataclass(slots=True)
class _Here:
    """What a process of the pool holds."""

    shadow: Shadow | None = None
    solver: SolverPlugin | None = None


_here: Final = _Here()


def _prepare(given: _Given) -> None:
    """Begin to be a process of the pool."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if given.nice and hasattr(os, "nice"):
        os.nice(given.nice)
    _here.shadow = Shadow(given.target, given.start)
    _here.solver = given.solver
    Thread(target=_leave_with_parent, daemon=True).start()


def _leave_with_parent() -> None:
    """End this process when the campaign's is killed: nobody else would end it."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _explore(job: Job) -> Answer:
    """Run a job. Runs in a process of the pool."""
    shadow, solver = _here.shadow, _here.solver
    assert shadow is not None, "prepare comes first"
    assert solver is not None
    return Exploration(shadow, solver.solve, job).answer()
