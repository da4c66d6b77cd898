"""Replay: run a campaign again from program, config, seed and commands, and compare.

What is taken from the store are the inputs (program, config, seed) and the facts that
no computation decides: which commands were accepted for which round, when a stop was
asked for, which tasks were lost. Everything else is computed again and must be equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from echidna_mcp.campaign.calls import CallCodec
from echidna_mcp.campaign.confirmation import Confirmation
from echidna_mcp.campaign.engine import Engine, Plan
from echidna_mcp.campaign.executor import Executor
from echidna_mcp.campaign.tasks import RoundResult, WorkerSetup
from echidna_mcp.errors import ReplayDivergedError, StoreTamperedError
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.evm.plugin import BackendPlugin
from echidna_mcp.views.campaign import CampaignViews


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedCommand:
    """A command to give again: what was asked, and the round that it took effect."""

    round: int
    tool: str
    args: Any


@dataclass(slots=True)
class Recording:
    """What a store says about a campaign, by round.

    Attributes:
        digests: state digest after each committed round.
        workers: digest of each worker's result in each committed round.
        stops: rounds from which on no new sequences were fuzzed, with the reason.
        abandoned: (round, worker) of lost tasks, with the reason.
        commands: commands as the store has them.
    """

    started: Event
    digests: dict[int, str] = field(default_factory=dict)
    workers: dict[int, dict[int, str]] = field(default_factory=dict)
    stops: dict[int, str] = field(default_factory=dict)
    abandoned: dict[tuple[int, int], str] = field(default_factory=dict)
    commands: list[ReplayedCommand] = field(default_factory=list)


def read_recording(events: Iterable[Event]) -> Recording:
    """Return what a replay compares with.

    Raises:
        StoreTamperedError: the store does not begin with the start of a campaign.
    """
    rows = iter(events)
    started = next(rows, None)
    if started is None or started.type != "CampaignStarted":
        raise StoreTamperedError("The store does not begin with CampaignStarted.")
    recording = Recording(started)
    for event in rows:
        payload = event.payload
        match event.type:
            case "RoundCommitted":
                recording.digests[event.round] = payload["stateDigest"]
                recording.workers[event.round] = {
                    w["worker"]: w["digest"] for w in payload["workers"]
                }
            case "StopRequested":
                recording.stops[event.round] = payload["reason"]
            case "TaskAbandoned":
                assert event.worker is not None
                place = (event.round, event.worker)
                recording.abandoned[place] = payload["reason"]
            case "CommandAccepted":
                recording.commands.append(
                    ReplayedCommand(
                        round=event.round, tool=payload["tool"], args=payload["args"]
                    )
                )
    return recording


def replay(
    recording: Recording,
    commands: Sequence[ReplayedCommand],
    backend: BackendPlugin,
    executor: Executor,
    progress: Callable[[int], None] | None = None,
) -> CampaignViews:
    """Run all committed rounds of a recording again.

    Args:
        commands: the commands to give; those of the recording, or others to see what
            would have been.
        executor: not prepared.
        progress: told of each round that was equal.

    Returns:
        The views after the last round.

    Raises:
        ReplayDivergedError: a round gave another state; `details` have `round` and
            `worker` (None if the workers agreed and only the merge differs).
    """
    views = CampaignViews.from_started(recording.started)
    _accept(views, commands)
    confirmation = Confirmation(views.target, backend)
    engine = Engine(views, CallCodec(views.target), confirmation)
    executor.prepare(WorkerSetup(views.target, backend))
    news: Sequence[Event] = ()
    for number in sorted(recording.digests):
        plan = engine.plan(drain=recording.stops.get(number))
        results = _run(executor, news, plan, recording)
        events = engine.merge(plan, results, engine.confirm(results))
        _compare(recording, number, results, views.progress.state_digest)
        news = [_as_event(event) for event in events]
        if progress is not None:
            progress(number)
    return views


def _accept(views: CampaignViews, commands: Sequence[ReplayedCommand]) -> None:
    for command in commands:
        views.apply(
            NewEvent(
                type="CommandAccepted",
                round=command.round,
                payload={"tool": command.tool, "args": command.args},
            )
        )


def _run(
    executor: Executor, news: Sequence[Event], plan: Plan, recording: Recording
) -> list[RoundResult]:
    lost = {
        task.worker: RoundResult(
            worker=task.worker,
            abandoned=recording.abandoned[plan.round, task.worker],
        )
        for task in plan.tasks
        if (plan.round, task.worker) in recording.abandoned
    }
    tasks = [task for task in plan.tasks if task.worker not in lost]
    return [*executor.run(news, tasks), *lost.values()]


def _compare(
    recording: Recording, number: int, results: Sequence[RoundResult], digest: str
) -> None:
    if digest == recording.digests[number]:
        return
    ours = {result.worker: result.digest for result in results}
    theirs = recording.workers[number]
    different = [w for w in sorted(theirs) if ours.get(w) != theirs[w]]
    worker = different[0] if different else None
    where = "no worker, only the merge" if worker is None else f"worker {worker}"
    raise ReplayDivergedError(
        f"The replay diverges at round {number}; first difference: {where}.",
        round=number,
        worker=worker,
    )


def _as_event(event: NewEvent) -> Event:
    """Return an event as replicas fold it; they don't look at its place in a store."""
    return Event(
        seq=0,
        type=event.type,
        version=event.version,
        round=event.round,
        worker=event.worker,
        at="",
        payload=event.payload,
        digest=b"",
    )
