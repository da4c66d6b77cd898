"""Replay: run a campaign again from program, config, seed and commands, and compare.

What is taken from the store are the inputs (program, config, seed) and the facts that
no computation decides: which commands were accepted for which round, when a stop was
asked for. Everything else is computed again and must be equal.

Logs from before version 0.2 may hold accidents: tasks that were given up because
something of ours had failed. Nothing makes an accident happen again, so such a log is
reproduced up to there and no further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from echidna_mcp.campaign.inheritance import digest_with
from echidna_mcp.campaign.reliable import ReliableExecutor, reliable_confirmation
from echidna_mcp.errors import (
    NotReproducibleError,
    ReplayDivergedError,
    StoreTamperedError,
)
from echidna_mcp.events.event import Event, NewEvent, as_event
from echidna_mcp.events.payloads import SolverAnswered
from echidna_mcp.evm.outside import Reply, Request
from echidna_mcp.rounds.asking import answered_results
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.engine import Engine
from echidna_mcp.rounds.replica import WorkerSetup
from echidna_mcp.rounds.tasks import RoundResult
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
        inherited: what was taken over from an older campaign before the first round.
        past: what is stored of the rounds that are folded, not run again.
        calls: how many calls each round made that is run again.
        digests: state digest after each committed round.
        workers: digest of each worker's result in each committed round.
        stops: rounds from which on no new sequences were fuzzed, with the reason.
        answers: what the outside has answered in each round, by request.
        solved: what the solver had found in each round.
        accidents: rounds that hold one, and what it was.
        engines: versions of this program that ran it, each with its first round.
        commands: commands as the store has them.
    """

    started: Event
    inherited: Event | None = None
    past: list[Event] = field(default_factory=list)
    calls: dict[int, int] = field(default_factory=dict)
    digests: dict[int, str] = field(default_factory=dict)
    workers: dict[int, dict[int, str]] = field(default_factory=dict)
    stops: dict[int, str] = field(default_factory=dict)
    answers: dict[int, dict[Request, Reply]] = field(default_factory=dict)
    solved: dict[int, list[SolverAnswered]] = field(default_factory=dict)
    accidents: dict[int, str] = field(default_factory=dict)
    engines: dict[str, int] = field(default_factory=dict)
    commands: list[ReplayedCommand] = field(default_factory=list)


def read_recording(
    events: Iterable[Event], first: int = 1, last: int | None = None
) -> Recording:
    """Return what a replay compares with.

    Args:
        events: of the whole store.
        first: the first round to run again. Those before it are believed: the state
            before it is the fold of their events.
        last: the last round to run again; None for all.

    Raises:
        StoreTamperedError: the store does not begin with the start of a campaign.
    """
    rows = iter(events)
    started = next(rows, None)
    if started is None or started.type != "CampaignStarted":
        raise StoreTamperedError("The store does not begin with CampaignStarted.")
    recording = Recording(started, engines={started.payload["engine"]: 1})
    for event in rows:
        if last is not None and event.round > last:
            continue
        if event.round < first and event.type != "CorpusInherited":
            recording.past.append(event)
            continue
        _note(recording, event)
    return recording


def _note(recording: Recording, event: Event) -> None:
    payload = event.payload
    match event.type:
        case "CorpusInherited":
            recording.inherited = event
        case "RoundCommitted":
            recording.calls[event.round] = payload["calls"]
            recording.digests[event.round] = payload["stateDigest"]
            recording.workers[event.round] = {
                w["worker"]: w["digest"] for w in payload["workers"]
            }
        case "OutsideAnswered":
            answers = recording.answers.setdefault(event.round, {})
            answers[Request.from_json(payload)] = Reply.from_json(payload)
        case "SolverAnswered":
            found = recording.solved.setdefault(event.round, [])
            found.append(cast("SolverAnswered", payload))
        case "StopRequested":
            recording.stops[event.round] = payload["reason"]
        case "TaskAbandoned" | "FalsificationDisputed":
            accident = _accident(event)
            if accident is not None:
                recording.accidents.setdefault(event.round, accident)
        case "CampaignResumed":
            recording.engines.setdefault(payload["engine"], event.round + 1)
        case "CommandAccepted":
            recording.commands.append(
                ReplayedCommand(
                    round=event.round, tool=payload["tool"], args=payload["args"]
                )
            )


def _accident(event: Event) -> str | None:
    """Return what an event tells of an exception of ours; None if it tells of none."""
    payload = event.payload
    if event.type == "TaskAbandoned":
        what = f"a task of worker {event.worker} was given up"
        return f"{what} ({payload['reason']})"
    if payload["answer"].startswith("it can't run the sequence"):
        what = f"{payload['reference']} was not asked to the end"
        return f"{what} ({payload['answer']})"
    return None


def replay(
    recording: Recording,
    commands: Sequence[ReplayedCommand],
    backend: BackendPlugin,
    executor: ReliableExecutor,
    progress: Callable[[int], None] | None = None,
) -> CampaignViews:
    """Run the committed rounds of a recording again.

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
        NotReproducibleError: the next round holds an accident, or asks the outside for
            what was not recorded; `details` have `round`.
    """
    views = CampaignViews.from_started(recording.started)
    news: Sequence[Event] = [*_inherit(views, recording), *recording.past]
    for event in recording.past:
        views.apply(event)
    _accept(views, commands)
    confirmation = reliable_confirmation(views, backend)
    engine = Engine(views, CallCodec(views.target), confirmation)
    executor.prepare(WorkerSetup(views.target, backend))
    for number in sorted(recording.digests):
        if number in recording.accidents:
            raise NotReproducibleError(
                f"Round {number} holds an accident that no replay can repeat: "
                f"{recording.accidents[number]}.",
                round=number,
            )
        plan = engine.plan(
            drain=recording.stops.get(number),
            solved=partial(_solved, recording),
        )
        recorded = partial(_recorded, number, recording.answers.get(number, {}))
        results = [*answered_results(engine, plan, news, executor.run, recorded)]
        events = engine.merge(plan, results, engine.confirm(results))
        _compare(recording, number, results, views.progress.state_digest)
        # The answers of the round were folded while it ran.
        news = [as_event(event) for event in events if event.type != "OutsideAnswered"]
        if progress is not None:
            progress(number)
    return views


def _solved(recording: Recording, number: int) -> Sequence[SolverAnswered]:
    """Return what the solver had found in a round; nobody looks again."""
    return recording.solved.get(number, ())


def _recorded(number: int, answers: Mapping[Request, Reply], request: Request) -> Reply:
    """Return what a recorded round was answered; nobody is asked again.

    Raises:
        NotReproducibleError: it has not asked for that.
    """
    if request not in answers:
        raise NotReproducibleError(
            f"Round {number} asks the outside for something ({request.text}) that the "
            "recorded one did not ask for.",
            round=number,
        )
    return answers[request]


def _inherit(views: CampaignViews, recording: Recording) -> list[Event]:
    event = recording.inherited
    if event is None:
        return []
    before = views.progress.state_digest
    views.apply(event)
    if digest_with(event.payload, before) != event.payload["stateDigest"]:
        raise ReplayDivergedError(
            "The replay diverges before round 1: what was taken over from "
            f"{event.payload['campaign']} does not fit its digest.",
            round=0,
            worker=None,
        )
    return [event]


def _accept(views: CampaignViews, commands: Sequence[ReplayedCommand]) -> None:
    for command in commands:
        views.apply(
            NewEvent(
                type="CommandAccepted",
                round=command.round,
                payload={"tool": command.tool, "args": command.args},
            )
        )


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
