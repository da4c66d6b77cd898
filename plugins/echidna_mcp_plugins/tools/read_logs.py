"""Tool `read_logs`: the newest events of the campaign (FR-001)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from echidna_mcp._generated.outputs import ReadLogsOutput
from echidna_mcp._generated.tools import read_logs_tool
from echidna_mcp.plugins import hookimpl
from echidna_mcp.reports.call_texts import told
from echidna_mcp.tools.size import ANSWER_BYTES, fitting

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import ReadLogsInput
    from echidna_mcp._generated.outputs import LoggedEvent
    from echidna_mcp.tools.tool import Tool, ToolContext
    from echidna_mcp.views.event_log import LogEntry

_ROOM: Final = ANSWER_BYTES // 4
"""For one reproducer, so that one answer can hold some."""


async def handle(args: ReadLogsInput, context: ToolContext) -> ReadLogsOutput:
    """Return events, newest first, and how many the ring holds.

    With a falsification comes what its call sequence has been shrunk to since.
    """
    found = context.logs.entries(args.count, args.event_type, args.worker_id)
    entries = fitting(_with_reproducer(entry, context) for entry in found)
    if len(entries) < len(found):
        context.warnings.append(
            f"One answer holds the newest {len(entries)} of these {len(found)} events; "
            "filter by eventType or workerId to see older ones."
        )
    return ReadLogsOutput(
        events=cast("list[LoggedEvent]", entries),
        totalCount=context.logs.total,
    )


def _with_reproducer(entry: LogEntry, context: ToolContext) -> Mapping[str, Any]:
    """Return an entry; a falsification with its reproducer as it is by now."""
    if entry["eventType"] != "PropertyFalsified":
        return entry
    views = context.views
    record = views.properties.records[entry["data"]["property"]]
    calls = zip(record.counterexample, record.calls or (), strict=True)
    reproducer = {
        "state": record.state.value,
        "round": views.progress.round,
        "length": len(record.counterexample),
        "calls": fitting((told(text, call) for text, call in calls), _ROOM),
    }
    return {**entry, "data": {**entry["data"], "reproducer": reproducer}}


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (read_logs_tool(handle),)
