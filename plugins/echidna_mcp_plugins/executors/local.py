"""A replica in this process that survives the failure of a task."""

from __future__ import annotations

from collections.abc import Sequence

from echidna_mcp.events.event import Event
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.rounds.round import run_round
from echidna_mcp.rounds.tasks import RoundResult, RoundTask, TaskFailure
from echidna_mcp.tracebacks import traceback_text


class LocalReplica:
    """Runs tasks on a replica of its own, one at a time.

    Replicas of different threads share nothing that changes.
    """

    def __init__(self, setup: WorkerSetup) -> None:
        self._setup = setup
        self._replica: Replica | None = Replica(setup)
        self._folded = 0

    def attempt(
        self, past: Sequence[Event], task: RoundTask
    ) -> RoundResult | TaskFailure:
        """Run a task after folding what is new in `past`; a failure is an answer.

        Args:
            past: all relevant events so far; it only ever grows.
        """
        try:
            if self._replica is None:
                self._replica, self._folded = Replica(self._setup), 0
            self._replica.fold(past[self._folded :])
            self._folded = len(past)
            return run_round(self._replica, task)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - a missed one hangs the round
            self._replica = None  # It may be in any state.
            return TaskFailure(task=task, reason=traceback_text(error))
