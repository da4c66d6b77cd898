"""The director: accepts commands, runs rounds, commits them, decides the end.

One thread runs rounds. Another may call `accept` and `request_stop` at any moment: what
it says becomes a fact that names the round at which it takes effect, so that the moment
itself never matters.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from echidna_mcp.campaign.engine import Engine, Plan
from echidna_mcp.campaign.executor import Executor
from echidna_mcp.campaign.tasks import RoundResult
from echidna_mcp.errors import CampaignTerminatedError, ExecutorError
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.store import EventStore
from echidna_mcp.tools.tool import Receipt
from echidna_mcp.views.properties import PropertyState

Observer = Callable[[Sequence[Event]], None]
"""Called after each commit with what was committed."""

_MOST_LOST_ROUNDS = 3


class StopReason(Enum):
    """Why a campaign ended; the values are the sentences that users read."""

    TestLimitReached = "The test limit was reached."
    TestsDecided = "Every test was falsified and its reproducer shrunk."
    FastFailed = "A test was falsified, and stopOnFail asks to stop then."
    TimeLimitReached = "The time limit was reached."
    Killed = "The campaign was asked to stop."


class Director:
    """Runs one campaign on a store and an executor.

    Args:
        engine: its views are the fold of everything in `store`.
        store: the single writer.
        executor: prepared.
        news: what is in `store`, which the replicas of the executor have yet to fold.
        keep_going: go on fuzzing for coverage when every test is decided.
        observers: told of each commit, in the thread that made it.
    """

    def __init__(
        self,
        engine: Engine,
        store: EventStore,
        executor: Executor,
        *,
        news: tuple[Event, ...] = (),
        keep_going: bool = False,
        observers: Sequence[Observer] = (),
    ) -> None:
        self._engine = engine
        self._store = store
        self._executor = executor
        self._keep_going = keep_going
        self._observers = observers
        # Re-entrant: a signal handler may ask to stop in the middle of a commit.
        self._lock = threading.RLock()
        self._accepted: list[Event] = []
        self._next_round = engine.views.progress.round + 1
        self._news = news
        self._drain: StopReason | None = None
        self._kill = False
        self._lost_rounds = 0
        self._ended = engine.views.progress.stopped is not None

    # --------------------------------------------------------- from any thread

    def accept(self, tool: str, args: Mapping[str, Any], message: str) -> Receipt:
        """Store a command durably; it takes effect at the round of the receipt.

        Raises:
            CampaignTerminatedError: the campaign has ended, no worker is active.
            StoreError: the command could not be stored; it has no effect.
        """
        payload = {"tool": tool, "args": dict(args), "message": message}
        with self._lock:
            if self._ended or self._kill:
                raise CampaignTerminatedError
            number = self._next_round
            event = NewEvent(type="CommandAccepted", round=number, payload=payload)
            (stored,) = self._commit([event], durable=True)
            self._accepted.append(stored)
        return Receipt(stored.seq, number)

    def request_stop(self, reason: StopReason) -> None:
        """Ask for the end: at once if killed, else when reproducers are shrunk."""
        with self._lock:
            if reason is StopReason.Killed:
                self._kill = True
            elif self._drain is None:
                self._drain = reason

    # ------------------------------------------------------------- the campaign

    def run(self) -> StopReason:
        """Run rounds until the campaign ends; return why it did."""
        while True:
            reason = self._end()
            if reason is not None and self._stop(reason):
                return reason
            self.run_round()

    def run_round(self) -> None:
        """Plan, execute, merge and commit one round, unless it is killed meanwhile."""
        plan = self._plan()
        results = []
        for result in self._executor.run(self._news, plan.tasks):
            if self._kill:
                return  # The open round is lost, as it is when the process dies.
            results.append(result)
            self._engine.expect(result)
        self._check_executor(results)
        disputes = self._engine.confirm(results, lambda: self._kill)
        if self._kill:
            return
        events = self._engine.merge(plan, results, disputes)
        with self._lock:
            self._news = self._commit(events)

    def _check_executor(self, results: Sequence[RoundResult]) -> None:
        """Give up when round after round is lost: this would never end."""
        reasons = [result.abandoned for result in results]
        self._lost_rounds = 0 if None in reasons else self._lost_rounds + 1
        if self._lost_rounds == _MOST_LOST_ROUNDS:
            raise ExecutorError(
                f"No task of the last {_MOST_LOST_ROUNDS} rounds could be run: "
                f"{reasons[0]}. The campaign can go on from its store."
            )

    def _plan(self) -> Plan:
        progress = self._engine.views.progress
        with self._lock:
            accepted, self._accepted = self._accepted, []
            self._next_round = progress.round + 2
            drain = None if progress.draining else self._drain
        for event in accepted:
            self._engine.views.apply(event)
        return self._engine.plan(drain=drain.name if drain else None)

    def _end(self) -> StopReason | None:
        views = self._engine.views
        if self._kill:
            return StopReason.Killed
        if views.properties.in_state(PropertyState.SHRINKING):
            return None
        if views.progress.draining or self._drain:
            return self._drain or StopReason.TimeLimitReached
        if not self._engine.fuzzing:
            failed = views.target.config.stop_on_fail and views.properties.falsified
            return StopReason.FastFailed if failed else StopReason.TestLimitReached
        tests = views.properties.records
        open_tests = views.properties.in_state(PropertyState.OPEN)
        if tests and not open_tests and not self._keep_going:
            return StopReason.TestsDecided
        return None

    def _stop(self, reason: StopReason) -> bool:
        """Record the end; False if a command was accepted that still has to run."""
        views = self._engine.views
        number = views.progress.round
        payload = {
            "reason": reason.name,
            "message": reason.value,
            "totalCalls": views.progress.calls,
            "stateDigest": views.progress.state_digest,
        }
        events = [
            NewEvent(
                type="WorkerStopped",
                round=number,
                worker=worker,
                payload={"reason": reason.name},
            )
            for worker in range(views.target.config.workers)
        ]
        events.append(NewEvent(type="CampaignStopped", round=number, payload=payload))
        with self._lock:
            # After a crash, a command may be due one round later than the next.
            due = self._accepted or views.progress.pending
            if due and reason is not StopReason.Killed:
                return False
            self._ended = True
            stored = self._commit(events, durable=True)
        for event in stored:
            views.apply(event)
        return True

    def _commit(
        self, events: Sequence[NewEvent], *, durable: bool = False
    ) -> tuple[Event, ...]:
        """Store events and tell the observers, in order. The lock must be held."""
        stored = self._store.append(events, durable=durable)
        for observer in self._observers:
            observer(stored)
        return stored
