"""A replica in this process that survives the failure of a task."""

from __future__ import annotations

from collections.abc import Sequence

from echidna_mcp.campaign.failure import failure
from echidna_mcp.campaign.replica import Replica
from echidna_mcp.campaign.round import run_round
from echidna_mcp.campaign.tasks import RoundResult, RoundTask, WorkerSetup
from echidna_mcp.events.event import Event


class LocalReplica:
    """Runs tasks on a replica of its own, one at a time.

    Replicas of different threads share nothing that changes.
    """

    def __init__(self, setup: WorkerSetup) -> None:
        self._setup = setup
        self._replica = Replica(setup)
        self._folded = 0

    def attempt(self, past: Sequence[Event], task: RoundTask) -> RoundResult:
        """Run a task after folding what is new in `past`; a failure is a result.

        Args:
            past: all relevant events so far; it only ever grows.
        """
        try:
            self._replica.fold(past[self._folded :])
            self._folded = len(past)
            return run_round(self._replica, task)
        except Exception as error:  # noqa: BLE001  the campaign decides what it means
            # A task is pure, so it would fail again. Its EVM may be in any state.
            self._replica = Replica(self._setup)
            self._folded = 0
            return RoundResult(worker=task.worker, abandoned=failure(error))
