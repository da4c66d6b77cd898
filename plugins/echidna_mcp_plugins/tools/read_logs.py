"""Tool `read_logs`: the newest events of the campaign (FR-001)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from echidna_mcp._generated.outputs import ReadLogsOutput
from echidna_mcp._generated.tools import read_logs_tool
from echidna_mcp.plugins import hookimpl
from echidna_mcp.tools.size import fitting

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import ReadLogsInput
    from echidna_mcp._generated.outputs import LoggedEvent
    from echidna_mcp.tools.tool import Tool, ToolContext


async def handle(args: ReadLogsInput, context: ToolContext) -> ReadLogsOutput:
    """Return events, newest first, and how many the ring holds."""
    found = context.logs.entries(args.count, args.event_type, args.worker_id)
    entries = fitting(found)
    if len(entries) < len(found):
        context.warnings.append(
            f"One answer holds the newest {len(entries)} of these {len(found)} events; "
            "filter by eventType or workerId to see older ones."
        )
    return ReadLogsOutput(
        events=cast("list[LoggedEvent]", entries),
        totalCount=context.logs.total,
    )


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (read_logs_tool(handle),)
