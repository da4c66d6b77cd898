"""`echidna-mcp serve`: a campaign with its tools over MCP."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from echidna_mcp.cli.display import final_report, make_reporter
from echidna_mcp.cli.output import show
from echidna_mcp.cli.request import Request, read_request, told_if_slow
from echidna_mcp.errors import UsageError
from echidna_mcp.events.event import Event
from echidna_mcp.server.campaign_child import CampaignChild
from echidna_mcp.server.campaign_link import CampaignLink
from echidna_mcp.server.http import HttpServer
from echidna_mcp.server.transport import HttpTransport, StdioTransport
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.tool import ToolContext
from echidna_mcp.views.event_log import EventLog


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
    asyncio.run(_serve(request, front, child))


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


_Front = _HttpFront | _StdioFront


async def _serve(request: Request, front: _Front, child: CampaignChild) -> None:
    link = CampaignLink(request.spec(keep_going=True), child)
    try:
        await _start(link, front, request)
    except BaseException:
        front.close()
        await link.close()
        raise
    show(f"Campaign: {request.directory}", err=True)
    logs = EventLog()

    def log(events: Sequence[Event]) -> None:
        for event in events:
            logs.apply(event)

    link.follow(log)
    context = ToolContext.create(link.views, link, logs, request.directory)
    tools = list(request.plugins.tools.values())
    reporter = make_reporter(
        request.options.progress_format, link.views, sys.stderr, sys.stderr.isatty()
    )

    def ready() -> None:
        # A live display must not begin before the last line above it is printed.
        link.follow(reporter.events)

    if request.options.timeout is not None:
        asyncio.get_running_loop().call_later(
            request.options.timeout, link.request_stop, "TimeLimitReached"
        )
    try:
        service = ToolService(tools, context)
        async with _interruptible(front.serve(service, ready)) as serving:
            await serving
    finally:
        await link.close()
        reporter.close()
    # Standard output may belong to a protocol, and a server's report is for people.
    show(final_report(request.options.format, link.views), nl=False, err=True)


async def _start(link: CampaignLink, front: _Front, request: Request) -> None:
    """Start the campaign, and meanwhile import what the front needs."""
    loading = asyncio.ensure_future(asyncio.to_thread(front.load))
    try:
        with told_if_slow(request):
            await link.start()
    finally:
        await loading


@contextlib.asynccontextmanager
async def _interruptible(work: Awaitable[None]) -> AsyncIterator[Awaitable[None]]:
    """Let ctrl-C and SIGTERM end `work` in good order."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, task.cancel)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            yield task
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
