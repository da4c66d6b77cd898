"""The adapter between the tools and the MCP SDK: the only place that knows both.

Built on the low-level server of the SDK, which passes schemas on as they are and serves
every protocol revision from one object. It validates nothing, so the tools do that
themselves; whatever they answer becomes a tool result, never a protocol error, because
only tool results reach the model.

Importing this module takes more than a second. Transport plugins import it on start.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import mcp.types as wire
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server

from echidna_mcp import __version__
from echidna_mcp.tools.envelope import error_envelope
from echidna_mcp_plugins.transports.instructions import INSTRUCTIONS

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from echidna_mcp.contracts.toolspec import ToolSpec
    from echidna_mcp.tools.service import ToolOutcome, ToolService

_log = logging.getLogger(__name__)

_DRAFT_07 = "http://json-schema.org/draft-07/schema#"

# The tools are fixed while a server runs; a restart may bring others.
_LASTING = CacheHint(ttl_ms=60_000, scope="public")


def mcp_server(
    service: ToolService, *, declare_dialect: bool = False
) -> Server[dict[str, Any]]:
    """Return an MCP server that offers the tools.

    Args:
        service: the tools.
        declare_dialect: send `$schema` with each schema. Off, because released clients
            refuse every tool whose schema declares draft-07; undeclared ones are read
            as 2020-12 (MCP 2025-11-25), in which they mean the same.
    """
    tools = {
        spec.name: _tool(spec, declare_dialect=declare_dialect)
        for spec in sorted(service.specs(), key=lambda spec: spec.name)
    }

    async def list_tools(
        _context: ServerRequestContext[dict[str, Any]],
        _params: wire.PaginatedRequestParams | None,
    ) -> wire.ListToolsResult:
        return wire.ListToolsResult(tools=list(tools.values()))

    async def call_tool(
        _context: ServerRequestContext[dict[str, Any]],
        params: wire.CallToolRequestParams,
    ) -> wire.CallToolResult:
        tool = tools.get(params.name)
        structured = tool is not None and tool.output_schema is not None
        try:
            outcome = await service.call(params.name, params.arguments)
            return _result(outcome, structured=structured)
        except Exception:  # noqa: BLE001 (nothing may leak)
            _log.exception("The call of a tool could not be answered")
            return _defect(params.name)

    def input_schema(name: str) -> Mapping[str, Any] | None:
        tool = tools.get(name)
        return None if tool is None else tool.input_schema

    return Server(
        "echidna-mcp",
        version=__version__,
        title="Echidna MCP",
        instructions=INSTRUCTIONS,
        cache_hints={"tools/list": _LASTING, "server/discover": _LASTING},
        # Without it the SDK lists all tools again for every call.
        get_tool_input_schema=input_schema,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _tool(spec: ToolSpec, *, declare_dialect: bool) -> wire.Tool:
    # Structured content is an object in every revision of the protocol; tools with
    # another output answer with text.
    structured = spec.output_schema.get("type") == "object"
    return wire.Tool(
        name=spec.name,
        title=spec.title,
        description=spec.description,
        input_schema=_schema(spec.input_schema, declare_dialect),
        output_schema=(
            _schema(spec.output_schema, declare_dialect) if structured else None
        ),
        annotations=wire.ToolAnnotations(
            read_only_hint=spec.read_only,
            destructive_hint=spec.destructive,
            idempotent_hint=spec.idempotent,
            open_world_hint=spec.open_world,
        ),
    )


def _schema(schema: Mapping[str, Any], declare_dialect: bool) -> dict[str, Any]:
    plain = {key: value for key, value in schema.items() if key != "$schema"}
    return {"$schema": _DRAFT_07, **plain} if declare_dialect else plain


def _result(outcome: ToolOutcome, *, structured: bool) -> wire.CallToolResult:
    """Translate an outcome.

    The text carries all of it, for clients that read only text; raw if it is a string.
    Errors stand in the text alone: clients validate structured content against the
    output schema even when the call failed.
    """
    warning = " ".join(outcome.warnings)
    return wire.CallToolResult(
        content=[wire.TextContent(type="text", text=outcome.text)],
        structured_content=outcome.content if structured else None,
        is_error=outcome.is_error,
        _meta={"warning": warning} if warning else None,
    )


def _defect(name: str) -> wire.CallToolResult:
    """Answer although something raised that promised not to; tell no details."""
    message = f"{name} failed unexpectedly; the server's log explains it."
    envelope = error_envelope("INTERNAL_ERROR", message, {})
    text = json.dumps(envelope, ensure_ascii=False)
    return wire.CallToolResult(
        content=[wire.TextContent(type="text", text=text)], is_error=True
    )
