"""Plugin `sse`: MCP over the legacy HTTP+SSE transport, at `/sse` and `/messages/`.

The transport of revision 2024-11-05, deprecated since; for clients that know nothing
newer. A client opens an event stream, learns there where to POST, and gets the answers
on the stream.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from echidna_mcp.catalogue.transport import (
    HttpMount,
    HttpTransport,
    Transport,
    TransportOptions,
)
from echidna_mcp.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from mcp.server.sse import SseServerTransport
    from starlette.types import Receive, Scope, Send

    from echidna_mcp.catalogue.catalogue import Catalogue

_PATH = "/sse"
_MESSAGES = "/messages/"
_MODULES = ("mcp.server.sse", "echidna_mcp_plugins.transports.mcp_server")


@hookimpl
def register_transports() -> Sequence[Transport]:
    """Offer legacy HTTP+SSE (hook)."""
    return (HttpTransport(name="sse", path=_PATH, mount=mount, modules=_MODULES),)


def mount(catalogue: Catalogue, options: TransportOptions) -> HttpMount:
    """Return the routes that serve a catalogue at `/sse`."""
    # The SDK takes more than a second to import, so nothing else may import it early.
    from mcp.server.sse import SseServerTransport  # noqa: PLC0415
    from starlette.routing import Mount, Route  # noqa: PLC0415

    from echidna_mcp_plugins.transports.event_streams import (  # noqa: PLC0415
        stream_watcher_ended,
    )
    from echidna_mcp_plugins.transports.mcp_news import end_streams  # noqa: PLC0415
    from echidna_mcp_plugins.transports.mcp_server import mcp_server  # noqa: PLC0415

    # It logs a traceback for each malformed message, which the client is told anyway.
    logging.getLogger("mcp.server.sse").setLevel(logging.CRITICAL)
    streams = SseServerTransport(_MESSAGES)
    server = mcp_server(catalogue, options, connected=True)
    return HttpMount(
        routes=[
            Route(_PATH, _Stream(streams, server)),
            Mount(_MESSAGES, app=streams.handle_post_message),
        ],
        lifespan=stream_watcher_ended,
        closing=lambda: end_streams(server),
    )


class _Stream:
    """The event stream of one client: a whole MCP connection."""

    def __init__(
        self, streams: SseServerTransport, server: Server[dict[str, Any]]
    ) -> None:
        self._streams = streams
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import Response  # noqa: PLC0415 (slow import)

        if scope["method"] != "GET":
            refusal = Response(status_code=405, headers={"Allow": "GET"})
            await refusal(scope, receive, send)
            return
        async with self._streams.connect_sse(scope, receive, send) as (reader, writer):
            options = self._server.create_initialization_options()
            await self._server.run(reader, writer, options)
