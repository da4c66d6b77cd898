"""The product's MCP server with the fixtures added."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mcp.types as wire
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity

from echidna_mcp_conformance import (
    asking,
    changes,
    content,
    notices,
    prompts,
    requiring,
    resources,
    schemas,
)
from echidna_mcp_plugins.transports.mcp_server import mcp_server

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from echidna_mcp.catalogue.catalogue import Catalogue
    from echidna_mcp.catalogue.transport import TransportOptions
    from echidna_mcp_conformance.fixture import Context, FixtureTool

Handler = Callable[[Any, Any], Awaitable[Any]]


def conformance_server(
    catalogue: Catalogue, options: TransportOptions
) -> Server[dict[str, Any]]:
    """Return a server that answers for fixtures; the product answers for the rest."""
    server = mcp_server(catalogue, options, connected=options.legacy_sessions)
    _add_tools(
        server,
        (
            *(*content.TOOLS, *notices.TOOLS, *asking.TOOLS, *requiring.TOOLS),
            *(*schemas.TOOLS, *changes.tools(server)),
        ),
    )
    _add_resources(server)
    _add_prompts(server)
    server.add_request_handler("logging/setLevel", wire.SetLevelRequestParams, _accept)
    # The product never asks for input, so it has no state to protect.
    protection = RequestStateSecurity.ephemeral()
    server.middleware.append(
        RequestStateBoundary(protection, default_audience=server.name)
    )
    return server


def _add_tools(server: Server[dict[str, Any]], tools: Sequence[FixtureTool]) -> None:
    _list_too(server, "tools/list", "tools", [tool.listed() for tool in tools])
    handlers = {tool.name: tool.answer for tool in tools}
    _answer_too(server, "tools/call", handlers, lambda params: params.name)
    schemas_of = {tool.name: tool.schema for tool in tools}
    product = server.get_tool_input_schema
    assert product is not None
    server.get_tool_input_schema = lambda name: schemas_of.get(name) or product(name)


def _add_resources(server: Server[dict[str, Any]]) -> None:
    _list_too(server, "resources/list", "resources", resources.RESOURCES)
    method = "resources/templates/list"
    _list_too(server, method, "resource_templates", [resources.TEMPLATE])
    entry = server.get_request_handler("resources/read")
    assert entry is not None
    product = entry.handler

    async def read(context: Context, params: wire.ReadResourceRequestParams) -> Any:
        return resources.read(params.uri) or await product(context, params)

    server.add_request_handler("resources/read", wire.ReadResourceRequestParams, read)


def _add_prompts(server: Server[dict[str, Any]]) -> None:
    _list_too(server, "prompts/list", "prompts", prompts.PROMPTS)
    _answer_too(server, "prompts/get", prompts.ANSWERS, lambda params: params.name)


def _list_too(
    server: Server[dict[str, Any]], method: str, field: str, items: Sequence[Any]
) -> None:
    """Append items to what a list method of the product returns."""
    entry = server.get_request_handler(method)
    assert entry is not None

    async def listed(context: Context, params: Any) -> Any:
        result: Any = await entry.handler(context, params)
        return result.model_copy(update={field: [*getattr(result, field), *items]})

    server.add_request_handler(method, entry.params_type, listed)


def _answer_too(
    server: Server[dict[str, Any]],
    method: str,
    handlers: Mapping[str, Handler],
    name_of: Callable[[Any], str],
) -> None:
    """Answer requests that name a fixture; the product answers the others."""
    entry = server.get_request_handler(method)
    assert entry is not None

    async def answer(context: Context, params: Any) -> Any:
        handler: Handler = handlers.get(name_of(params), entry.handler)
        return await handler(context, params)

    server.add_request_handler(method, entry.params_type, answer)


async def _accept(
    _context: Context, _params: wire.SetLevelRequestParams
) -> wire.EmptyResult:
    return wire.EmptyResult()
