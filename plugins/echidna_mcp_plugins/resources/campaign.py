"""`echidna://campaign`, its events and its reproducers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final, get_args

from echidna_mcp.abi.render import render_address
from echidna_mcp.catalogue.resource import Resource, Variables, touched_by
from echidna_mcp.catalogue.uri_template import UriTemplate
from echidna_mcp.errors import ResourceNotFoundError
from echidna_mcp.events.payloads import EventType
from echidna_mcp.reports.call_texts import told
from echidna_mcp.reports.findings import finding_of
from echidna_mcp.reports.function_statistics import (
    FunctionStatistics,
    function_statistics,
)
from echidna_mcp.tools.display import clean, shown
from echidna_mcp.tools.size import ANSWER_BYTES, fitting, json_size
from echidna_mcp.views.event_log import OF_A_TYPE
from echidna_mcp.wording import listed
from echidna_mcp_plugins.resources.answer import JSON, ROOT, as_json
from echidna_mcp_plugins.resources.findings import ranked, title_of

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event
    from echidna_mcp.tools.tool import ToolContext
    from echidna_mcp.views.campaign import CampaignViews
    from echidna_mcp.views.properties import PropertyRecord

_EVENTS: Final = OF_A_TYPE
_TYPES: Final[Sequence[EventType]] = tuple(sorted(get_args(EventType)))
_ROOM_OF_PRIORITIES: Final = 4_000
_ROOM_OF_TARGETS: Final = 4_000
_ROOM_OF_MACHINES: Final = 4_000
_ROOM_OF_THE_REST: Final = _ROOM_OF_PRIORITIES + _ROOM_OF_TARGETS + _ROOM_OF_MACHINES
_WORKERS: Final = 64
_REASONS: Final = 8
"""Of the reverts of one function."""
_MOST_CURVES: Final = 20
_ROOM_OF_NAME: Final = 600
"""Bytes of an optimization test beside its curve."""
_REPRODUCER: Final = f"{ROOT}/reproducers/{{property}}"
_ABOUT_A_PROPERTY: Final = frozenset(
    {"PropertyFalsified", "ReproducerShrunk", "FalsificationDisputed", "ValueRaised"}
)


def campaign_resources() -> Sequence[Resource]:
    """Return them."""
    return (
        Resource(
            name="campaign",
            uri=ROOT,
            title="Campaign",
            description="State of the campaign at its last committed round: progress, "
            "workers, coverage, corpus, tests, priorities.",
            mime_type=JSON,
            read=_read_campaign,
            touched=touched_by(
                *("CampaignStarted", "CampaignResumed", "CampaignStopped"),
                *("RoundCommitted", "CommandAccepted"),
            ),
        ),
        Resource(
            name="events",
            uri=f"{ROOT}/events",
            title="Events",
            description=f"The newest {_EVENTS} events, the newest first, as read_logs "
            "shows them.",
            mime_type=JSON,
            read=_read_events,
            touched=touched_by("RoundCommitted", "CommandAccepted", "CampaignStopped"),
        ),
        Resource(
            name="events-of-type",
            uri=f"{ROOT}/events/{{type}}",
            title="Events of one type",
            description=f"The newest {_EVENTS} events of one type, the newest first, "
            "however long ago they were.",
            mime_type=JSON,
            read=_read_events_of_type,
            touched=lambda event: [{"type": event.type}],
            values={"type": lambda _context: _TYPES},
        ),
        Resource(
            name="history",
            uri=f"{ROOT}/history",
            title="History",
            description="Samples of calls, coverage and corpus over the campaign, "
            "oldest first, each with its round and time.",
            mime_type=JSON,
            read=_read_history,
            touched=touched_by("RoundCommitted"),
        ),
        Resource(
            name="values",
            uri=f"{ROOT}/values",
            title="Values over time",
            description="The values of optimization tests: the greatest one now, and "
            "how it rose from round to round, oldest first.",
            mime_type=JSON,
            read=_read_values,
            touched=touched_by("ValueRaised", "ReproducerShrunk"),
        ),
        Resource(
            name="functions",
            uri=f"{ROOT}/functions",
            title="Functions",
            description="Of each function that sequences call: calls, reverts, "
            "discarded calls, and of a sample the reasons of reverts and the gas.",
            mime_type=JSON,
            read=_read_functions,
            touched=touched_by("RoundCommitted"),
        ),
        Resource(
            name="executions",
            uri=f"{ROOT}/executions",
            title="Tool calls",
            description="The latest calls of tools, the newest first, with duration "
            "and result, and how fast each tool answers.",
            mime_type=JSON,
            read=_read_executions,
            touched=touched_by("RoundCommitted", "CommandAccepted", "CommandRefused"),
        ),
        Resource(
            name="reproducer",
            uri=_REPRODUCER,
            title="Reproducer",
            description="The shortest call sequence known that falsifies a test, with "
            "sender, value and delays of each call.",
            mime_type=JSON,
            read=_read_reproducer,
            touched=_touched,
            values={"property": _tests},
            listed=_listed,
        ),
    )


async def _read_campaign(_values: Variables, context: ToolContext) -> str:
    views = context.views
    progress, config = views.progress, views.target.config
    coverage = context.reports.report(views.coverage)
    records = _failed_first(views)
    unexercised = views.not_exercised()
    summaries = (
        _summary(views, record, unexercised.get(record.name)) for record in records
    )
    tests = fitting(summaries, ANSWER_BYTES - _ROOM_OF_THE_REST)
    return as_json(
        {
            "contract": views.target.program.main,
            "targets": fitting(_targets(views), _ROOM_OF_TARGETS),
            "compiler": views.target.program.compiler,
            "testMode": config.test_mode,
            "seed": config.seed,
            "testLimit": config.test_limit,
            "round": progress.round,
            "calls": progress.calls,
            "sequences": progress.sequences,
            "reverts": progress.reverts,
            "stopped": progress.stopped,
            "draining": progress.draining,
            "stateDigest": progress.state_digest,
            "workers": {
                "running": sum(each == "running" for each in progress.workers.values()),
                "total": len(progress.workers),
                "states": list(progress.workers.values())[:_WORKERS],
            },
            **_machines(context),
            "coverage": {
                "lineCoverage": coverage.line_percent,
                "points": views.coverage.points,
                "codes": views.coverage.codes,
                "lastIncrease": views.coverage.round,
            },
            "corpus": {
                "sequences": len(views.corpus),
                "transactions": views.corpus.transactions,
            },
            "priorities": fitting(views.priorities.requested, _ROOM_OF_PRIORITIES),
            "pendingCommands": len(progress.pending),
            "tests": tests,
            "totalTests": len(records),
            "failed": {
                "tests": len({each.test for each in views.properties.falsified}),
                "of": sum(each.name == each.test for each in records),
                "findings": len(views.properties.falsified),
            },
        }
    )


def _machines(context: ToolContext) -> dict[str, Any]:
    """Tell of the machines, if the campaign runs on several."""
    told = context.machines()
    if told is None:
        return {}
    nodes = (
        {
            "name": clean(name),
            "workers": node.workers,
            "tasks": node.tasks,
            "callsPerSecond": node.rate,
        }
        for name, node in told.nodes.items()
    )
    machines = {
        "total": len(told.nodes),
        "nodes": fitting(nodes, _ROOM_OF_MACHINES),
        "lostWorkers": told.lost,
        "comparedTasks": told.compared,
    }
    return {"machines": machines}


def _failed_first(views: CampaignViews) -> list[PropertyRecord]:
    """Return all tests and findings: what was found, then the others, in their order.

    A further finding of a test follows the first.
    """
    order = {test.name: number for number, test in enumerate(views.target.tests)}
    found = {record.name for record in ranked(views)}

    def key(record: PropertyRecord) -> tuple[int, int]:
        rank = int(record.maximizes) if record.name in found else 2
        return rank, order[record.test]

    return sorted(views.properties.records.values(), key=key)


def _targets(views: CampaignViews) -> Iterable[dict[str, Any]]:
    """Tell of each contract that sequences call; no address: they create it."""
    for callee in views.target.callees:
        address = callee.address
        yield {
            "contract": callee.contract.qualified_name,
            "address": None if address is None else render_address(address),
            "functions": len(callee.functions),
        }


def _summary(
    views: CampaignViews, record: PropertyRecord, unexercised: str | None
) -> dict[str, Any]:
    summary: dict[str, Any] = {"name": record.name, "state": record.state.value}
    if record.name != record.test:
        summary["test"] = record.test
    if record.maximizes:
        summary["maximizes"] = True
    if record.calls is not None or record.dispute is not None:
        summary["finding"] = finding_of(views, record)
        summary["title"] = clean(title_of(record))
    if record.value is not None:
        summary["value"] = str(record.value)
    if record.calls is not None:
        values = {"property": record.name}
        summary["reason"] = record.reason
        summary["length"] = len(record.calls)
        summary["reproducer"] = UriTemplate(_REPRODUCER).expand(values)
    elif record.dispute is not None:
        summary["disputed"] = True
    elif unexercised is not None:
        summary["notExercised"] = unexercised
    return summary


async def _read_events(_values: Variables, context: ToolContext) -> str:
    events = fitting(context.logs.entries(_EVENTS))
    return as_json({"events": events, "totalCount": context.logs.total})


async def _read_events_of_type(values: Variables, context: ToolContext) -> str:
    wanted = values["type"]
    if wanted not in _TYPES:
        raise ResourceNotFoundError(
            f"There is no event type {shown(wanted)}; there are {listed(_TYPES)}.",
            type=clean(wanted),
        )
    events = fitting(context.logs.of_type(wanted, _EVENTS))
    return as_json({"events": events, "type": wanted})


async def _read_history(_values: Variables, context: ToolContext) -> str:
    samples = [asdict(sample) for sample in context.history.samples]
    # Newest first, so that what does not fit is the beginning.
    kept = fitting(reversed(samples))
    return as_json({"samples": kept[::-1]})


async def _read_values(_values: Variables, context: ToolContext) -> str:
    records = context.views.properties.raised
    room = ANSWER_BYTES // max(1, min(len(records), _MOST_CURVES))
    return as_json(
        {
            "total": len(records),
            "values": [
                {
                    "test": record.name,
                    "value": str(record.value),
                    "rises": _rises(context, record.name, room),
                }
                for record in records[:_MOST_CURVES]
            ],
        }
    )


def _rises(context: ToolContext, test: str, room: int) -> list[dict[str, Any]]:
    """Return how a value rose, oldest first; what does not fit is the beginning."""
    rises = reversed(context.history.rises.get(test, []))
    told = ({"round": each.round, "value": str(each.value)} for each in rises)
    return fitting(told, room - _ROOM_OF_NAME)[::-1]


async def _read_functions(_values: Variables, context: ToolContext) -> str:
    statistics = function_statistics(context.views)
    return as_json(
        {
            "round": context.views.progress.round,
            "total": len(statistics),
            "functions": fitting(_statistics(each) for each in statistics),
        }
    )


def _statistics(function: FunctionStatistics) -> dict[str, Any]:
    """Tell of a function, and why most of its calls failed."""
    return {
        **function.to_json(),
        "reasons": [
            {"reason": clean(reason), "sampledCalls": calls}
            for reason, calls in function.reasons[:_REASONS]
        ],
        "furtherReasons": len(function.reasons[_REASONS:]),
    }


async def _read_executions(_values: Variables, context: ToolContext) -> str:
    log = context.executions
    latest = [
        {
            "execId": str(each.exec_id),
            "tool": each.tool,
            "description": each.description,
            "start": each.start.isoformat(),
            "end": each.end.isoformat(),
            "durationMs": round(each.duration * 1000, 3),
            "success": each.success,
            "error": each.error,
            "result": each.result,
        }
        for each in reversed(log.recent())
    ]
    latency = {tool: asdict(figures) for tool, figures in log.latency().items()}
    room = ANSWER_BYTES - json_size(latency)
    return as_json(
        {"executions": fitting(latest, room), "total": len(latest), "latency": latency}
    )


async def _read_reproducer(values: Variables, context: ToolContext) -> str:
    views, name = context.views, values["property"]
    record = views.properties.records.get(name)
    if record is None:
        raise ResourceNotFoundError(
            f"There is no test {shown(name)}; {ROOT} lists the tests.",
            property=clean(name),
        )
    calls, texts, reason = record.calls, record.counterexample, record.reason
    state = record.state.value
    if record.dispute is not None and calls is None:
        calls, texts = record.dispute["calls"], tuple(record.dispute["counterexample"])
        state = "disputed"
    pairs = list(zip(texts, calls or (), strict=True))
    return as_json(
        {
            "property": name,
            "state": state,
            "reason": reason or None,
            **({} if record.value is None else {"value": str(record.value)}),
            "falsifiedAtRound": record.falsified_at,
            "contract": views.target.program.main,
            "round": views.progress.round,
            "length": len(pairs),
            "calls": fitting(told(text, call) for text, call in pairs),
        }
    )


def _touched(event: Event) -> Iterable[Variables]:
    if event.type in _ABOUT_A_PROPERTY:
        yield {"property": event.payload["property"]}


def _tests(context: ToolContext) -> Iterable[str]:
    """Return names of tests, falsified ones first."""
    properties = context.views.properties
    yield from (record.name for record in properties.falsified)
    yield from properties.records


def _listed(context: ToolContext) -> Iterable[Variables]:
    properties = context.views.properties
    return [{"property": r.name} for r in (*properties.falsified, *properties.raised)]
