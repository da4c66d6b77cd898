"""Routes for browsers: the page, resources, and news of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from sse_starlette import EventSourceResponse
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from echidna_mcp.catalogue.transport import HttpMount
from echidna_mcp.errors import (
    EchidnaMcpError,
    InvalidInputError,
    ResourceNotFoundError,
)
from echidna_mcp_plugins.dashboard.live import live_events
from echidna_mcp_plugins.dashboard.page import read_page
from echidna_mcp_plugins.transports.event_streams import stream_watcher_ended

if TYPE_CHECKING:
    from starlette.requests import Request

    from echidna_mcp.catalogue.catalogue import Catalogue

PAGE: Final = "/"
READ: Final = "/dashboard/read"
LIVE: Final = "/dashboard/live"

KEEP_ALIVE_SECONDS: Final = 15

_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }
)

# What is read is data, whatever its type: opened by itself, it must do nothing here.
_DATA_HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {**_HEADERS, "Content-Security-Policy": "default-src 'none'; sandbox"}
)


def dashboard_mount(catalogue: Catalogue) -> HttpMount:
    """Return the routes of one server."""
    page = read_page()
    document = page.html.encode()
    headers = {**_HEADERS, "Content-Security-Policy": page.policy}

    async def show(_request: Request) -> Response:
        return Response(document, media_type="text/html", headers=headers)

    async def read(request: Request) -> Response:
        return await _read(catalogue, request)

    async def live(_request: Request) -> Response:
        return EventSourceResponse(
            live_events(catalogue.news),
            ping=KEEP_ALIVE_SECONDS,
            headers=_DATA_HEADERS,
            sep="\n",
        )

    return HttpMount(
        routes=[
            Route(PAGE, show, methods=["GET"]),
            Route(READ, read, methods=["GET"]),
            Route(LIVE, live, methods=["GET"]),
        ],
        lifespan=stream_watcher_ended,
        # Nothing of the campaign is on the page; it asks for the token.
        public=(PAGE,),
    )


async def _read(catalogue: Catalogue, request: Request) -> Response:
    uris = request.query_params.getlist("uri")
    try:
        if len(uris) != 1 or not uris[0]:
            raise InvalidInputError(
                f"Name one resource to read: {READ}?uri=echidna://campaign."
            )
        content = await catalogue.resources.read(uris[0])
    except EchidnaMcpError as error:
        body = {"error": {"code": error.code, "message": error.message}}
        return JSONResponse(body, _status(error), headers=_DATA_HEADERS)
    media_type = "text/plain"
    if content.resource.mime_type == "application/json":
        media_type = "application/json"
    elif isinstance(content.data, bytes):
        media_type = "application/octet-stream"
    return Response(content.data, media_type=media_type, headers=_DATA_HEADERS)


def _status(error: EchidnaMcpError) -> int:
    if isinstance(error, ResourceNotFoundError):
        return 404
    return 400 if isinstance(error, InvalidInputError) else 500
