"""`echidna-mcp serve`: a campaign with its tools over MCP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from echidna_mcp.cli.output import show
from echidna_mcp.cli.request import Request, read_request
from echidna_mcp.errors import UsageError
from echidna_mcp.server.http import HttpServer
from echidna_mcp.server.transport import HttpTransport, StdioTransport

if TYPE_CHECKING:
    from echidna_mcp.server.campaign_child import CampaignChild
    from echidna_mcp.tools.service import ToolService


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server over HTTP listens, and the token that it asks for."""

    host: str
    port: int
    token: str | None


def serve(
    parameters: dict[str, Any],
    transport: str,
    endpoint: Endpoint,
    child: CampaignChild,
) -> None:
    """Run the command.

    Args:
        parameters: of the campaign, from the command line.
        transport: `http` or `stdio`.
        endpoint: where to listen, if it is over HTTP.
        child: the process that is to run the campaign.
    """
    request = read_request(parameters, unlimited=True)
    front = (
        _StdioFront(request) if transport == "stdio" else _HttpFront(request, endpoint)
    )
    spec = request.spec(keep_going=True)
    child.begin(spec)
    # The campaign starts while this process imports what serves it.
    from echidna_mcp.cli.serving import serve_campaign  # noqa: PLC0415

    asyncio.run(serve_campaign(request, spec, front, child))


class _HttpFront:
    """HTTP in front of the tools; takes its port before the campaign starts."""

    def __init__(self, request: Request, endpoint: Endpoint) -> None:
        offered = request.plugins.transports.values()
        transports = [one for one in offered if isinstance(one, HttpTransport)]
        self._server = HttpServer(
            transports, host=endpoint.host, port=endpoint.port, token=endpoint.token
        )
        self._server.bind()

    def load(self) -> None:
        self._server.load()

    async def serve(self, service: ToolService, ready: Callable[[], None]) -> None:
        def announce(url: str) -> None:
            show(f"MCP server listening on {url}", err=True)
            ready()

        await self._server.serve(service, announce)

    def close(self) -> None:
        self._server.close()


class _StdioFront:
    """Standard streams in front of the tools, for a client that started us."""

    def __init__(self, request: Request) -> None:
        offered = request.plugins.transports.values()
        transports = [one for one in offered if isinstance(one, StdioTransport)]
        if not transports:
            raise UsageError("--transport stdio: enable the plugin stdio.")
        self._transport = transports[0]

    def load(self) -> None:
        for name in self._transport.modules:
            import_module(name)

    async def serve(self, service: ToolService, ready: Callable[[], None]) -> None:
        ready()
        await self._transport.serve(service)

    def close(self) -> None:
        """Nothing is held."""


Front = _HttpFront | _StdioFront
