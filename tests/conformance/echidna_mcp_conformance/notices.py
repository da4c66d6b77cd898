"""Tools that send something before they answer: progress, logs, the end of a stream."""

from __future__ import annotations

import asyncio
import warnings

import mcp.types as wire
from mcp.shared.exceptions import MCPDeprecationWarning

from echidna_mcp_conformance.fixture import Context, FixtureTool, said

_PAUSE = 0.05
_LOGS = ("Tool execution started", "Tool processing data", "Tool execution completed")


async def _progress(
    context: Context, _params: wire.CallToolRequestParams
) -> wire.CallToolResult:
    for percent in (0, 50, 100):
        await context.session.report_progress(percent, 100, f"{percent} %")
        await asyncio.sleep(_PAUSE)
    return said("done")


async def _logging(
    context: Context, _params: wire.CallToolRequestParams
) -> wire.CallToolResult:
    """Log; to clients of 2026-07-28 only if they have asked for it in the request."""
    for message in _LOGS:
        with warnings.catch_warnings():
            # Logging is deprecated since 2026-07-28, and tested until it is gone.
            warnings.simplefilter("ignore", MCPDeprecationWarning)
            sending = context.session.send_log_message(
                "info", message, related_request_id=context.request_id
            )
        await sending
        await asyncio.sleep(_PAUSE)
    return said("done")


async def _reconnection(
    context: Context, _params: wire.CallToolRequestParams
) -> wire.CallToolResult:
    """Close the stream before the answer; the client fetches it on another."""
    if context.close_sse_stream is not None:
        await context.close_sse_stream()
    await asyncio.sleep(4 * _PAUSE)
    return said("Reconnection test completed")


TOOLS = (
    FixtureTool("test_tool_with_progress", _progress),
    FixtureTool("test_tool_with_logging", _logging),
    FixtureTool("test_logging_tool", _logging),
    FixtureTool("test_reconnection", _reconnection),
)
