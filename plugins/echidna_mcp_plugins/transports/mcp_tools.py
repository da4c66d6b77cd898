"""Tools on the wire: their descriptions, calls and results."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import mcp.types as wire

from echidna_mcp.contracts import declared
from echidna_mcp.tools.envelope import error_envelope
from echidna_mcp.tools.principal import PRINCIPAL

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from echidna_mcp.catalogue.catalogue import Catalogue
    from echidna_mcp.contracts.toolspec import ToolSpec
    from echidna_mcp.tools.principal import Principal
    from echidna_mcp.tools.service import ToolOutcome

KEY = "echidna-mcp/idempotencyKey"
"""Of `_meta` in a call: the client's name for the command that the call gives."""

CURSOR = "echidna-mcp/cursor"
"""Of `_meta` in a call: `NEXT_CURSOR` of the answer before."""
NEXT_CURSOR = "echidna-mcp/nextCursor"
"""Of `_meta` in a result that is not all of it: what the same call has to bring for
the rest."""

_log = logging.getLogger(__name__)


class ToolHandlers:
    """Handlers of `tools/list` and `tools/call`.

    Args:
        catalogue: the tools, and the pages that show their results.
        declare_dialect: send `$schema` with each schema.
        principal: who calls, if the request does not say.
    """

    def __init__(
        self, catalogue: Catalogue, *, declare_dialect: bool, principal: Principal
    ) -> None:
        self._service = catalogue.tools
        self._principal = principal
        self._tools = {
            spec.name: _tool(spec, catalogue.view_of(spec.name), declare_dialect)
            for spec in self._service.specs()
        }
        self._callable = {
            **{
                a: self._tools[s.name] for s in self._service.specs() for a in s.aliases
            },
            **self._tools,
        }

    async def list(
        self,
        context: ServerRequestContext[dict[str, Any]],
        _params: wire.PaginatedRequestParams | None,
    ) -> wire.ListToolsResult:
        """Return all tools that the caller may call; so few need no pages."""
        specs = self._service.specs(self._who(context))
        return wire.ListToolsResult(tools=[self._tools[spec.name] for spec in specs])

    async def call(
        self,
        context: ServerRequestContext[dict[str, Any]],
        params: wire.CallToolRequestParams,
    ) -> wire.CallToolResult:
        """Call a tool; a failure is a result, too: only results reach models."""
        tool = self._callable.get(params.name)
        structured = tool is not None and tool.output_schema is not None
        meta = params.meta or {}
        try:
            outcome = await self._service.call(
                params.name,
                params.arguments,
                context.session.report_progress,
                key=meta.get(KEY),
                cursor=meta.get(CURSOR),
                principal=self._who(context),
            )
            return _result(outcome, structured=structured)
        except Exception:  # noqa: BLE001 (nothing may leak)
            _log.exception("The call of a tool could not be answered")
            return _defect(params.name)

    def input_schema(self, name: str) -> Mapping[str, Any] | None:
        """Return the schema of a tool, if there is one of that name."""
        tool = self._callable.get(name)
        return None if tool is None else tool.input_schema

    def _who(self, context: ServerRequestContext[dict[str, Any]]) -> Principal:
        """Return who sent a request: the guard of the HTTP server knows."""
        scope = getattr(context.request, "scope", {})
        principal: Principal = scope.get(PRINCIPAL, self._principal)
        return principal


def _tool(spec: ToolSpec, view: str | None, declare_dialect: bool) -> wire.Tool:
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
        _meta=_meta(spec, view) or None,
    )


def _meta(spec: ToolSpec, view: str | None) -> dict[str, Any]:
    meta = dict(spec.meta)
    if view is not None:
        meta["ui"] = {"resourceUri": view}
    return meta


def _schema(schema: Mapping[str, Any], declare_dialect: bool) -> dict[str, Any]:
    plain = {key: value for key, value in schema.items() if key != "$schema"}
    return declared(plain) if declare_dialect else plain


def _result(outcome: ToolOutcome, *, structured: bool) -> wire.CallToolResult:
    """Translate an outcome.

    The text carries all of it, for clients that read only text; raw if it is a string.
    Errors stand in the text alone: clients validate structured content against the
    output schema even when the call failed.
    """
    meta: dict[str, Any] = dict(outcome.meta)
    if outcome.warnings:
        meta["warning"] = " ".join(outcome.warnings)
    if outcome.next_cursor is not None:
        meta[NEXT_CURSOR] = outcome.next_cursor
    return wire.CallToolResult(
        content=[wire.TextContent(type="text", text=outcome.text)],
        structured_content=outcome.content if structured else None,
        is_error=outcome.is_error,
        _meta=meta or None,
    )


def _defect(name: str) -> wire.CallToolResult:
    """Answer although something raised that promised not to; tell no details."""
    message = f"{name} failed unexpectedly; the server's log explains it."
    envelope = error_envelope("INTERNAL_ERROR", message, {})
    text = json.dumps(envelope, ensure_ascii=False)
    return wire.CallToolResult(
        content=[wire.TextContent(type="text", text=text)], is_error=True
    )
