"""Tools that announce changes of lists, which the lists of the product never have."""

from __future__ import annotations

from typing import Any

import mcp.types as wire
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import (
    ListenHandler,
    PromptsListChanged,
    ServerEvent,
    ToolsListChanged,
)

from echidna_mcp_conformance.fixture import Context, FixtureTool, said


def tools(server: Server[dict[str, Any]]) -> tuple[FixtureTool, ...]:
    """Return tools that tell the listeners of a server."""
    return (
        _announcing("test_trigger_tool_change", server, ToolsListChanged()),
        _announcing("test_trigger_prompt_change", server, PromptsListChanged()),
    )


def _announcing(
    name: str, server: Server[dict[str, Any]], event: ServerEvent
) -> FixtureTool:
    entry = server.get_request_handler("subscriptions/listen")
    assert entry is not None
    assert isinstance(entry.handler, ListenHandler)
    bus = entry.handler._bus

    async def announce(
        _context: Context, _params: wire.CallToolRequestParams
    ) -> wire.CallToolResult:
        await bus.publish(event)
        return said("changed")

    return FixtureTool(name, announce)
