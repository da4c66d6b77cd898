"""The director: accepts commands, runs rounds, commits them, decides the end.

One thread runs rounds. Another may call `accept` and `request_stop` at any moment: what
it says becomes a fact that names the round at which it takes effect, so that the moment
itself never matters.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from enum import Enum
from typing import Any

from echidna_mcp.campaign.crash import Crash, CrashError
from echidna_mcp.campaign.crash_bundle import with_bundle
from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.campaign.solver import SolverPool
from echidna_mcp.errors import CampaignTerminatedError, EchidnaMcpError, StoreError
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.payloads import SolverAnswered
from echidna_mcp.events.store import EventStore
from echidna_mcp.evm.outside import Source, nothing_outside
from echidna_mcp.rounds.asking import answered_results
from echidna_mcp.rounds.engine import Engine, Plan
from echidna_mcp.rounds.tasks import RoundResult
from echidna_mcp.tools.tool import Receipt, key_is_taken
from echidna_mcp.tracebacks import traceback_text

logger = logging.getLogger(__name__)

Observer = Callable[[Sequence[Event]], None]
"""Called after each commit with what was committed."""


class StopReason(Enum):
    """Why a campaign ended; the values are the sentences that users read."""

    TestLimitReached = "The test limit was reached."
    TestsDecided = "Every test was falsified and its reproducer shrunk."
    FastFailed = "A test was falsified, and stopOnFail asks to stop then."
    FindingsLimitReached = "There are as many findings as maxFindings allows."
    TimeLimitReached = "The time limit was reached."
    Killed = "The campaign was asked to stop."


def seconds_to_finish(limit: float) -> float:
    """Return how long after a time limit, in seconds, the end may be waited for.

    It is for the open round, and for reproducers that are being shrunk.
    """
    return min(max(1.0, limit / 10), 30.0)


class Director:
    """Runs one campaign on a store and an executor.

    Args:
        engine: its views are the fold of everything in `store`.
        store: the single writer.
        executor: prepared.
        news: what is in `store`, which the replicas of the executor have yet to fold.
        source: answers what cheatcodes ask the outside for.
        solver: runs the solver's jobs; None if there are none. It is closed at the end.
        keep_going: go on fuzzing for coverage when every test is decided.
        observers: told of each commit, in the thread that made it.
    """

    def __init__(
        self,
        engine: Engine,
        store: EventStore,
        executor: ReliableExecutor,
        *,
        news: tuple[Event, ...] = (),
        source: Source = nothing_outside,
        solver: SolverPool | None = None,
        keep_going: bool = False,
        observers: Sequence[Observer] = (),
    ) -> None:
        self._engine = engine
        self._store = store
        self._executor = executor
        self._source = source
        self._solver = solver
        self._keep_going = keep_going
        self._observers = observers
        # Re-entrant: a signal handler may ask to stop in the middle of a commit.
        self._lock = threading.RLock()
        self._accepted: list[Event] = []
        self._next_round = engine.views.progress.round + 1
        self._news = news
        self._drain: StopReason | None = None
        self._kill: StopReason | None = None
        self._promised = False
        """Whether the open round has commands."""
        self._planned_drain: str | None = None
        self._ended = engine.views.progress.stopped is not None
        self._by_key: dict[str, Event] = {}
        for event in news:
            if event.type == "CommandAccepted":
                self._remember(event)

    # --------------------------------------------------------- from any thread

    def accept(
        self,
        tool: str,
        args: Mapping[str, Any],
        message: str,
        *,
        key: str | None = None,
    ) -> Receipt:
        """Store a command durably; it takes effect at the round of the receipt.

        Args:
            tool, args, message: as in `CommandAccepted`.
            key: names the command. If one of that name is stored, this is the same one,
                and its receipt is returned.

        Raises:
            InvalidInputError: the key is that of another command.
            CampaignTerminatedError: the campaign has ended, no worker is active.
            StoreError: the command could not be stored; it has no effect.
        """
        payload = {"tool": tool, "args": dict(args), "message": message}
        if key is not None:
            payload["key"] = key
        with self._lock:
            if key in self._by_key:
                known = self._by_key[key]
                # Not the message: it tells what was known then.
                told = known.payload["tool"], known.payload["args"]
                if told != (tool, payload["args"]):
                    raise key_is_taken(key, known.payload["tool"])
                return Receipt(known.seq, known.round)
            if self._ended or self._kill:
                raise CampaignTerminatedError
            number = self._next_round
            event = NewEvent(type="CommandAccepted", round=number, payload=payload)
            (stored,) = self._commit([event], durable=True)
            self._accepted.append(stored)
            self._remember(stored)
        return Receipt(stored.seq, number)

    def record_refusal(self, payload: Mapping[str, Any]) -> None:
        """Store a `CommandRefused`; it has no effect, and is lost if the disk is full.

        Once the campaign has ended, whoever sent it stores it.
        """
        with self._lock, suppress(StoreError):
            if not self._ended:
                number = self._next_round - 1
                event = NewEvent(type="CommandRefused", round=number, payload=payload)
                self._commit([event])

    def _remember(self, command: Event) -> None:
        if "key" in command.payload:
            self._by_key[command.payload["key"]] = command

    def request_stop(self, reason: StopReason, *, at_once: bool = False) -> None:
        """Ask for the end, which comes when reproducers are shrunk.

        Args:
            reason: one of those that come from outside.
            at_once: don't wait for that, nor for the open round, which is lost. So it
                is in any case if the campaign is killed.
        """
        with self._lock:
            if at_once or reason is StopReason.Killed:
                self._kill = self._kill or reason
            elif self._drain is None:
                self._drain = reason

    # ------------------------------------------------------------- the campaign

    def run(self) -> StopReason:
        """Run rounds until the campaign ends; return why it did.

        Raises:
            CrashError: the program itself has failed; a bundle beside the store
                replays it. What is committed stands.
        """
        try:
            while True:
                reason = self._end()
                if reason is not None and self._stop(reason):
                    return reason
                self.run_round()
        except CrashError as error:
            raise self._crashed(error.crash) from error
        except (EchidnaMcpError, OSError):
            raise
        except Exception as error:
            number = self._engine.views.progress.round + 1
            crash = Crash(round=number, failures=(traceback_text(error),))
            raise self._crashed(crash) from error
        finally:
            if self._solver is not None:
                self._solver.close()

    def _crashed(self, crash: Crash) -> CrashError:
        with self._lock:
            self._ended = True  # Nothing is accepted that would not run.
        answers = self._engine.open_answers
        return with_bundle(crash, self._store, self._planned_drain, answers)

    def run_round(self) -> None:
        """Plan, execute, merge and commit one round, unless it is killed meanwhile.

        One with commands to run is not given up: that they have an effect was promised.
        """
        plan = self._plan()
        if self._is_given_up():
            return
        results = []
        for result in answered_results(
            self._engine,
            plan,
            self._news,
            self._executor.run,
            self._source,
            cancelled=self._is_given_up,
        ):
            if self._is_given_up():
                break
            results.append(result)
        if self._is_given_up():
            return  # The open round is lost, as it is when the process dies.
        rulings = self._engine.confirm(results, self._is_given_up)
        if self._is_given_up():
            self._tell_unconfirmed(results)
            return
        events = self._engine.merge(plan, results, rulings)
        with self._lock:
            committed = self._commit(events)
        if self._solver is not None and self._engine.fuzzing:
            self._solver.begin()
        # Replicas have folded the answers while the round ran.
        self._news = tuple(e for e in committed if e.type != "OutsideAnswered")

    def _is_given_up(self) -> bool:
        # Nothing is accepted any more when the campaign is being killed.
        return self._kill is not None and not self._promised and not self._accepted

    def _tell_unconfirmed(self, results: Sequence[RoundResult]) -> None:
        """Warn of failures that are not reported, because there was no time left."""
        tests = self._engine.views.target.tests
        found = {tests[each.test].name for r in results for each in r.falsifications}
        if found:
            logger.warning(
                "The campaign was stopped while a failure of %s was being confirmed; "
                "it is not reported. The campaign finds it again when it goes on.",
                ", ".join(sorted(found)),
            )

    def _plan(self) -> Plan:
        progress = self._engine.views.progress
        with self._lock:
            accepted, self._accepted = self._accepted, []
            self._promised = bool(accepted or progress.pending)
            self._next_round = progress.round + 2
            drain = None if progress.draining else self._drain
        for event in accepted:
            self._engine.views.apply(event)
        self._planned_drain = drain.name if drain else None
        return self._engine.plan(drain=self._planned_drain, solved=self._solved)

    def _solved(self, number: int) -> Sequence[SolverAnswered]:
        """Return what the solver has found that takes effect in a round."""
        if self._solver is None:
            return ()
        # When the end is asked for nobody waits any more; what is stored holds.
        return self._solver.answers(
            number, lambda: self._drain is not None or self._is_given_up()
        )

    def _end(self) -> StopReason | None:
        views = self._engine.views
        if self._kill:
            return self._kill
        if self._engine.unshrunk(ending=self._drain is not None):
            return None
        if views.progress.draining or self._drain:
            return self._drain or StopReason.TimeLimitReached
        if not self._engine.fuzzing:
            return self._limit()
        tests = views.properties.records
        open_tests = views.properties.searched
        if tests and not open_tests and not self._keep_going:
            return StopReason.TestsDecided
        return None

    def _limit(self) -> StopReason:
        """Return by what no more sequences are run, though nobody asked to stop."""
        views = self._engine.views
        config, findings = views.target.config, len(views.properties.falsified)
        if config.stop_on_fail and findings:
            return StopReason.FastFailed
        if config.max_findings and findings >= config.max_findings:
            return StopReason.FindingsLimitReached
        return StopReason.TestLimitReached

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
            if due:
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
