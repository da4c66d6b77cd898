"""Plugin `http`: MCP over Streamable HTTP, at `/mcp`.

One endpoint for all revisions of the protocol. Revision 2026-07-28 has no sessions; the
ones before may have, and do without them here: a client whose server was restarted goes
on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
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
    from mcp.server.streamable_http import EventStore
    from starlette.types import ASGIApp, Receive, Scope, Send

    from echidna_mcp.catalogue.catalogue import Catalogue

_PATH = "/mcp"
_MAX_SESSIONS = 256
_MODULES = (
    "mcp.server.streamable_http_manager",
    "mcp.server.transport_security",
    "echidna_mcp_plugins.transports.mcp_server",
)


@hookimpl
def register_transports() -> Sequence[Transport]:
    """Offer Streamable HTTP (hook)."""
    return (HttpTransport(name="http", path=_PATH, mount=mount, modules=_MODULES),)


def mount(catalogue: Catalogue, options: TransportOptions) -> HttpMount:
    """Return the routes that serve a catalogue at `/mcp`."""
    from echidna_mcp_plugins.transports.mcp_server import mcp_server  # noqa: PLC0415

    sessions = options.legacy_sessions
    server = mcp_server(catalogue, options, connected=sessions)
    return mount_server(server, sessions=sessions)


def mount_server(
    server: Server[Any],
    *,
    sessions: bool,
    events: EventStore | None = None,
    retry_milliseconds: int | None = None,
) -> HttpMount:
    """Return the routes that serve an MCP server of the SDK at `/mcp`.

    Args:
        server: what answers.
        sessions: as `TransportOptions.legacy_sessions`.
        events: keeps messages, so that a client of a session can fetch what it missed.
        retry_milliseconds: after what time it should try.
    """
    # The SDK takes more than a second to import, so nothing else may import it early.
    from mcp.server.streamable_http_manager import (  # noqa: PLC0415
        StreamableHTTPASGIApp,
        StreamableHTTPSessionManager,
    )
    from mcp.server.transport_security import (  # noqa: PLC0415
        TransportSecuritySettings,
    )
    from starlette.routing import Route  # noqa: PLC0415

    from echidna_mcp_plugins.transports.event_streams import (  # noqa: PLC0415
        stream_watcher_ended,
    )
    from echidna_mcp_plugins.transports.mcp_news import end_streams  # noqa: PLC0415

    manager = StreamableHTTPSessionManager(
        app=server,
        stateless=not sessions,
        event_store=events,
        retry_interval=retry_milliseconds,
        max_sessions=_MAX_SESSIONS,
        # The guard has checked Host and Origin.
        security_settings=TransportSecuritySettings(
            enable_dns_rebinding_protection=False
        ),
    )
    endpoint: ASGIApp = StreamableHTTPASGIApp(manager)

    @asynccontextmanager
    async def lifespan() -> AsyncIterator[None]:
        async with stream_watcher_ended(), manager.run():
            yield

    return HttpMount(
        routes=[Route(_PATH, endpoint if sessions else _PostOnly(endpoint))],
        lifespan=lifespan,
        closing=lambda: end_streams(server),
    )


class _PostOnly:
    """Without sessions there is no stream to GET and no session to DELETE."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.responses import Response  # noqa: PLC0415 (slow import)

        if scope["method"] == "POST":
            await self._app(scope, receive, send)
        else:
            refusal = Response(status_code=405, headers={"Allow": "POST"})
            await refusal(scope, receive, send)
