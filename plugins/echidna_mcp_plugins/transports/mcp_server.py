"""The adapter between the catalogue and the MCP SDK.

Built on the low-level server of the SDK, which passes schemas on as they are and serves
every protocol revision from one object. It validates nothing, so tools, resources and
prompts do that themselves; `mcp_tools`, `mcp_resources` and `mcp_news` translate.

Importing this module takes more than a second. Transport plugins import it on start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server

from echidna_mcp import __version__
from echidna_mcp_plugins.transports.instructions import instructions_for
from echidna_mcp_plugins.transports.mcp_news import (
    SessionSubscriptions,
    listen_handler,
)
from echidna_mcp_plugins.transports.mcp_resources import (
    CompletionHandler,
    PromptHandlers,
    ResourceHandlers,
)
from echidna_mcp_plugins.transports.mcp_tools import ToolHandlers

if TYPE_CHECKING:
    from echidna_mcp.catalogue.catalogue import Catalogue
    from echidna_mcp.catalogue.transport import TransportOptions

_UI = "io.modelcontextprotocol/ui"

# Tools, prompts and families of resources are fixed while a server runs; a restart may
# bring others. Single resources come with what the campaign finds.
_LASTING = CacheHint(ttl_ms=60_000, scope="public")
# Not all clients have the same tools.
_OWN = CacheHint(ttl_ms=60_000, scope="private")
_BRIEF = CacheHint(ttl_ms=1_000, scope="private")


def mcp_server(
    catalogue: Catalogue, options: TransportOptions, *, connected: bool
) -> Server[dict[str, Any]]:
    """Return an MCP server that offers the catalogue.

    Args:
        catalogue: tools, resources and prompts.
        options: `declare_dialect` sends `$schema` with each schema. Off, because
            released clients refuse every tool whose schema declares draft-07;
            undeclared ones are read as 2020-12 (MCP 2025-11-25), in which they mean
            the same.
        connected: whether clients of the revisions with a handshake have a connection
            on which they can be told of changes. The others always have.
    """
    tools = ToolHandlers(
        catalogue,
        declare_dialect=options.declare_dialect,
        principal=options.principal,
    )
    resources = ResourceHandlers(catalogue)
    prompts = PromptHandlers(catalogue)
    sessions = SessionSubscriptions(catalogue.news)
    server: Server[dict[str, Any]] = Server(
        "echidna-mcp",
        version=__version__,
        title="Echidna MCP",
        instructions=instructions_for(catalogue.tools.specs()),
        cache_hints={
            "tools/list": _OWN,
            "prompts/list": _LASTING,
            "resources/templates/list": _LASTING,
            "server/discover": _LASTING,
            "resources/list": _BRIEF,
        },
        # Without it the SDK lists all tools again for every call.
        get_tool_input_schema=tools.input_schema,
        on_list_tools=tools.list,
        on_call_tool=tools.call,
        on_list_resources=resources.list,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
        on_list_prompts=prompts.list,
        on_get_prompt=prompts.get,
        on_completion=CompletionHandler(catalogue).complete,
        on_subscriptions_listen=listen_handler(catalogue.news),
        on_subscribe_resource=sessions.subscribe if connected else None,
        on_unsubscribe_resource=sessions.unsubscribe if connected else None,
    )
    if any(resource.views for resource in catalogue.resources.all):
        server.extensions[_UI] = {}
    return server
