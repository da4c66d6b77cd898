"""How far the campaign is: rounds, counters, workers, pending commands, the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from echidna_mcp.events.payloads import CommandAccepted, CommandApplied, RoundCommitted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echidna_mcp.events.event import Event, NewEvent


_CHANGES_OF_PRIORITIES: Final = frozenset({"prioritize_function", "clear_priorities"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """An accepted control command.

    Attributes:
        number: position among the commands of the campaign, from 1.
        round: the round at which it takes effect.
    """

    number: int
    round: int
    tool: str
    args: Mapping[str, Any]


class ProgressView:
    """Counters and life of the campaign.

    Attributes:
        round: the last committed round; 0 before the first.
        calls, sequences, reverts, gas, steps: totals of fuzzed calls.
        functions: executed calls by signature.
        steady_calls: the same since the priorities last changed.
        steady_since: the first round that those count; 0 if they never changed.
        inherited: how many inherited sequences each worker has run, if it has any.
        draining: no new sequences are fuzzed, only reproducers are shrunk.
        pending: accepted commands that have not been applied, in order.
        workers: state of each logical worker, as last reported.
        stopped: reason of the end, or None; a campaign that was killed can be resumed.
        state_digest: digest after the last committed round.
    """

    def __init__(self) -> None:
        self.round = 0
        self.calls = self.sequences = self.reverts = self.gas = self.steps = 0
        self.functions: dict[str, int] = {}
        self.steady_calls: dict[str, int] = {}
        self.steady_since = 0
        self.inherited: dict[int, int] = {}
        self.draining = False
        self.commands = 0
        self.pending: list[Command] = []
        self.workers: dict[int, str] = {}
        self.stopped: str | None = None
        self.state_digest = ""

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        match event.type:
            case "CampaignStarted" | "CorpusInherited":
                self.state_digest = event.payload["stateDigest"]
            case "WorkerStarted" if event.worker is not None:
                self.workers[event.worker] = "running"
            case "WorkerStopped" if event.worker is not None:
                self.workers[event.worker] = "stopped"
            case "CommandAccepted":
                self._accept(event)
            case "CommandApplied":
                self._take_effect(event)
            case "StopRequested":
                self.draining = True
            case "RoundCommitted":
                self._count(event)
            case "CampaignStopped":
                self.stopped = event.payload["reason"]
            case "CampaignResumed":
                self.stopped = None

    def _accept(self, event: Event | NewEvent) -> None:
        payload = cast("CommandAccepted", event.payload)
        self.commands += 1
        self.pending.append(
            Command(
                number=self.commands,
                round=event.round,
                tool=payload["tool"],
                args=payload["args"],
            )
        )

    def _take_effect(self, event: Event | NewEvent) -> None:
        payload = cast("CommandApplied", event.payload)
        number = payload["command"]
        self.pending = [c for c in self.pending if c.number != number]
        if payload["tool"] in _CHANGES_OF_PRIORITIES:
            self.steady_calls, self.steady_since = {}, event.round

    def _count(self, event: Event | NewEvent) -> None:
        payload = cast("RoundCommitted", event.payload)
        self.round = event.round
        self.calls = payload["totalCalls"]
        self.sequences += payload["sequences"]
        self.reverts += payload["reverts"]
        self.gas += payload["gas"]
        self.steps += payload["steps"]
        for signature, count in payload["functions"].items():
            for counts in (self.functions, self.steady_calls):
                counts[signature] = counts.get(signature, 0) + count
        for worker in payload["workers"]:
            if "inherited" in worker:
                before = self.inherited.get(worker["worker"], 0)
                self.inherited[worker["worker"]] = before + worker["inherited"]
        self.state_digest = payload["stateDigest"]
