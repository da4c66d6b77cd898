"""Lines of text about the events that people care for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from echidna_mcp.campaign.director import StopReason
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.sequence import sequence_lines
from echidna_mcp.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from echidna_mcp.events.event import Event
    from echidna_mcp.views.campaign import CampaignViews


@dataclass(frozen=True, slots=True)
class EventLine:
    """One message.

    Attributes:
        at: time of the event, ISO 8601 with microseconds and `Z`.
        source: `Worker 3`, or `campaign`.
        text: one line.
        more: further lines, such as the calls of a reproducer.
        routine: it comes again and again, like new coverage.
    """

    at: str
    source: str
    text: str
    more: tuple[str, ...] = ()
    routine: bool = False

    @property
    def time(self) -> str:
        """The time as Echidna writes it: `2026-01-02 03:04:05.67`."""
        return short_time(self.at)


def short_time(at: str) -> str:
    """Return `2026-01-02T03:04:05.678901Z` as `2026-01-02 03:04:05.67`."""
    return at[:22].replace("T", " ")


def event_lines(events: Sequence[Event], views: CampaignViews) -> Iterator[EventLine]:
    """Yield what a commit is worth telling; new coverage once a worker, at the end.

    Events before a resumption have been told by the process before.

    Args:
        events: what was committed together.
        views: the campaign after these events.
    """
    resumed = [at for at, e in enumerate(events) if e.type == "CampaignResumed"]
    told = events[resumed[-1] :] if resumed else events
    coverage: dict[int | None, Event] = {}
    for event in told:
        if event.type == "CoverageIncreased" and event.payload["points"]:
            coverage[event.worker] = event
        message = _message(event, views)
        if message is not None:
            text, *more = message
            yield EventLine(
                at=event.at,
                source=_source(event),
                text=text,
                more=tuple(more),
                routine=event.type == "ReproducerShrunk" and not more,
            )
    for event in coverage.values():
        points = counted(event.payload["total"], "point")
        sequences = counted(len(views.corpus), "sequence")
        text = f"New coverage: {points}, {sequences} in corpus"
        yield EventLine(event.at, _source(event), text, routine=True)


def stop_sentence(reason: str) -> str:
    """Return the sentence for the reason of an end."""
    known = StopReason.__members__.get(reason)
    return known.value if known else f"The campaign stopped: {printable(reason)}."


def dispute_sentence(payload: Mapping[str, Any]) -> str:
    """Return what the payload of a `FalsificationDisputed` says."""
    name, *said = (
        printable(payload[member])
        for member in ("property", "backend", "claim", "reference", "answer")
    )
    sides = "{}: {}; {}: {}".format(*said)
    return f"Test {name}: two EVMs disagree, so one has a bug. {sides}"


def _source(event: Event) -> str:
    return "campaign" if event.worker is None else f"Worker {event.worker}"


def _message(event: Event, views: CampaignViews) -> list[str] | None:
    """Return the lines for an event, or None if it is not worth any."""
    payload = event.payload
    lines = None
    match event.type:
        case "CampaignStarted" | "CorpusInherited" | "CampaignResumed":
            lines = _opening(event, views)
        case "CommandAccepted":
            text = printable(payload["message"]).rstrip(".")
            lines = [f"Command for round {event.round}: {text}"]
        case "CommandRefused":
            text = printable(payload["message"])
            lines = [f"Refused {printable(payload['tool'])}: {text}"]
        case "CommandApplied" if "error" in payload["effect"]:
            error = printable(payload["effect"]["error"])
            lines = [f"Command {payload['command']} has no effect: {error}"]
        case "PropertyFalsified" | "FalsificationDisputed" | "ValueRaised":
            lines = [_verdict(event), *_sequence(payload, views)]
        case "ReproducerShrunk":
            lines = _shrunk(payload, views)
        case "CheatcodeRefused" | "TaskAbandoned" | "SequencesAbandoned":
            lines = [_lost(payload)]
        case "StopRequested":
            lines = [f"{stop_sentence(payload['reason'])} Stopping."]
        case "CampaignStopped":
            lines = [printable(payload["message"])]
    return lines


def _verdict(event: Event) -> str:
    if event.type == "FalsificationDisputed":
        return dispute_sentence(event.payload)
    name = printable(event.payload["property"])
    if event.type == "ValueRaised":
        return f"New maximum value of {name}: {printable(event.payload['value'])}"
    return f"Test {name} falsified! {printable(event.payload['reason'])}"


def _refusal(payload: Mapping[str, Any]) -> str:
    who = printable(payload["place"]) or "The deployment"
    code, reason = printable(payload["cheatcode"]), printable(payload["reason"])
    return f"Warning: {who} calls vm.{code}, which {reason}"


def _lost(payload: Mapping[str, Any]) -> str:
    if "cheatcode" in payload:
        return _refusal(payload)
    what = "The task of this round was lost"
    if "sequences" in payload:
        what = f"Given up {counted(payload['sequences'], 'sequence')} of this round"
    return f"{what}: {printable(payload['reason'])}"


def _opening(event: Event, views: CampaignViews) -> list[str]:
    if event.type == "CorpusInherited":
        remarks = event.payload.get("remarks", ())
        return [_inherited(event.payload), *map(printable, remarks)]
    if event.type == "CampaignResumed":
        return [f"Resumed after round {event.round}"]
    main, seed = views.target.program.main, event.payload["config"]["seed"]
    return [f"Fuzzing {printable(main)} with seed {seed}"]


def _inherited(payload: Mapping[str, Any]) -> str:
    took = counted(len(payload["sequences"]), "sequence")
    sources = dict.fromkeys((payload["campaign"], payload.get("corpus")))
    names = listed([printable(name) for name in sources if name is not None])
    text = f"Took over {took} of {names}"
    calls, whole = payload["droppedCalls"], payload["droppedSequences"]
    if not calls:
        return text
    sequences = f", {counted(whole, 'sequence')} with them" if whole else ""
    return f"{text}; dropped {counted(calls, 'call')} that do not fit{sequences}"


def _shrunk(payload: Mapping[str, Any], views: CampaignViews) -> list[str]:
    name, calls = printable(payload["property"]), counted(len(payload["calls"]), "call")
    if not payload["done"]:
        return [f"Test {name} shrunk to {calls}"]
    attempts = counted(payload["attempts"], "attempt")
    text = f"Test {name} is fully shrunk: {calls} after {attempts}"
    if payload["attempts"] >= views.target.config.shrink_limit:
        text = f"Test {name} is shrunk to {calls} by {attempts}, which is shrinkLimit"
    return [text, *_sequence(payload, views)]


def _sequence(payload: Mapping[str, Any], views: CampaignViews) -> list[str]:
    lines = sequence_lines(
        views.target,
        payload["counterexample"],
        payload["calls"],
    )
    return ["  Call sequence:", *(f"    {line}" for line in lines)]
