"""Serving a campaign: its process, its views, its tools and its display together."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Sequence

from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.cli.display import final_report, make_reporter
from echidna_mcp.cli.output import show
from echidna_mcp.cli.request import Request, told_if_slow
from echidna_mcp.cli.serve import Front, Offer
from echidna_mcp.events.event import Event
from echidna_mcp.server.campaign_child import CampaignChild
from echidna_mcp.server.campaign_link import CampaignLink
from echidna_mcp.server.campaign_messages import CampaignSpec
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.tool import ToolContext
from echidna_mcp.views.event_log import EventLog
from echidna_mcp.views.history import HistoryView


async def serve_campaign(
    request: Request,
    spec: CampaignSpec,
    offer: Offer,
    front: Front,
    child: CampaignChild,
) -> None:
    """Serve a campaign until it is interrupted, then report.

    Args:
        request: the campaign.
        spec: what of it its process has been told.
        offer: what clients can do.
        front: where clients connect.
        child: that process.
    """
    link = CampaignLink(spec, child)
    try:
        await _start(link, front, request)
    except BaseException:
        front.close()
        await link.close()
        raise
    show(f"Campaign: {request.directory}", err=True)
    catalogue = _catalogue(request, offer, link)
    link.follow_from_now(catalogue.committed)
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
        async with _interruptible(front.serve(catalogue, ready)) as serving:
            await serving
    finally:
        await link.close()
        reporter.close()
    # Standard output may belong to a protocol, and a server's report is for people.
    show(final_report(request.options.format, link.views), nl=False, err=True)


def _catalogue(request: Request, offer: Offer, link: CampaignLink) -> Catalogue:
    plugins = request.plugins
    logs, history = EventLog(), HistoryView()

    def remember(events: Sequence[Event]) -> None:
        for event in events:
            logs.apply(event)
            history.apply(event)

    link.follow(remember)
    context = ToolContext.create(
        link.views,
        link,
        logs,
        request.directory,
        history=history,
        read_only=offer.read_only,
        tools=tuple(tool.spec for tool in offer.tools),
    )
    return Catalogue(
        ToolService(offer.tools, context),
        context,
        tuple(plugins.resources.values()),
        tuple(plugins.prompts.values()),
    )


async def _start(link: CampaignLink, front: Front, request: Request) -> None:
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
