"""Serving a campaign: its process, its views, its tools and its display together."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import sys
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from echidna_mcp.campaign.director import StopReason, seconds_to_finish
from echidna_mcp.catalogue.catalogue import Catalogue
from echidna_mcp.cli.commands.front import HttpFront, Offer, StdioFront
from echidna_mcp.cli.commands.interruption import interruptible
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.display.reporter import Reporter, final_report, make_reporter
from echidna_mcp.cli.request.campaign import (
    Request,
    Settings,
    make_request,
    told_if_slow,
)
from echidna_mcp.cli.request.machine_use import tell_misuse
from echidna_mcp.errors import EchidnaMcpError, TargetError
from echidna_mcp.events.event import Event
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.server.campaign_child import CampaignChild
from echidna_mcp.server.campaign_link import CampaignLink
from echidna_mcp.server.campaign_messages import CampaignSpec
from echidna_mcp.tools.principal import LOCAL
from echidna_mcp.tools.stage import Stage
from echidna_mcp.tools.tool import ToolContext
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.event_log import EventLog
from echidna_mcp.views.history import HistoryView

_FIRST_ROUND = 5.0
"""Seconds that calls wait for the first round: before it they would find nothing."""

_Result = TypeVar("_Result")


async def serve_http(
    request: Request,
    spec: CampaignSpec,
    offer: Offer,
    front: HttpFront,
    child: CampaignChild,
) -> Path:
    """Serve a campaign until it is interrupted, then report.

    Args:
        request: the campaign.
        spec: what of it its process has been told.
        offer: what clients can do.
        front: where clients connect, once the campaign runs.
        child: that process.

    Returns:
        Where the campaign lies.
    """
    served, link = _Served(request.plugins, offer), CampaignLink(spec, child)
    await _over_http(served, request, link, front)
    served.report()
    served.check()
    return link.directory


async def serve_until_the_end(
    request: Request,
    spec: CampaignSpec,
    offer: Offer,
    front: HttpFront,
    child: CampaignChild,
) -> tuple[CampaignViews, Path]:
    """Serve a campaign until it ends; see `serve_http`.

    Returns:
        The campaign, and where it lies.
    """
    served, link = _Served(request.plugins, offer), CampaignLink(spec, child)
    await _over_http(served, request, link, front, until_the_end=True)
    served.check()
    return link.views, link.directory


async def _over_http(
    served: _Served,
    request: Request,
    link: CampaignLink,
    front: HttpFront,
    *,
    until_the_end: bool = False,
) -> None:
    try:
        try:
            loading = asyncio.ensure_future(asyncio.to_thread(front.load))
            try:
                await served.start(request, link)
            finally:
                await loading
        except BaseException:
            front.close()
            raise
        _keep()
        serving = front.serve(served.catalogue, served.display)
        async with interruptible(serving, served.terminate) as task:
            watch = asyncio.ensure_future(link.ended.wait())
            if until_the_end:
                watch.add_done_callback(lambda _: task.cancel())
            try:
                await task
            finally:
                watch.cancel()
    finally:
        await served.close()


async def serve_stdio(
    settings: Settings,
    offer: Offer,
    front: StdioFront,
    child: CampaignChild,
    ended: list[Path],
) -> bool:
    """Serve the client that started us until it leaves, then report.

    It is answered while the target is still being compiled: clients give a server they
    started some seconds. If the campaign can't start, they are told why in answer to
    their calls, where their agents see it.

    Args:
        settings: what campaign is asked for.
        offer: what the client can do.
        front: where the client is.
        child: the process that is to run the campaign.
        ended: is given the directory of the campaign, if there was one.

    Returns:
        Whether nothing kept the campaign from starting.
    """
    served = _Served(settings.plugins, offer)

    async def serve() -> None:
        await asyncio.to_thread(front.load)
        _keep()
        await front.serve(served.catalogue)

    try:
        async with interruptible(serve(), served.terminate) as serving:
            starting = asyncio.ensure_future(_start(served, settings, child))
            starting.add_done_callback(lambda done: _end_if_broken(done, serving))
            try:
                await serving
            finally:
                starting.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await starting
    finally:
        await served.close()
    served.report()
    served.check()
    if served.directory is not None:
        ended.append(served.directory)
    return served.failure is None


async def _start(served: _Served, settings: Settings, child: CampaignChild) -> None:
    served.stage.doing = f"{settings.target} is being compiled"
    try:
        request = await _in_thread(lambda: make_request(settings, unlimited=True))
        tell_misuse(settings)
        spec = request.spec(keep_going=True)
        # A large program waits until the child has imported what it needs.
        await _in_thread(lambda: child.begin(spec))
        await served.start(request, CampaignLink(spec, child), patience=_FIRST_ROUND)
        _keep()
        served.display()
    except EchidnaMcpError as error:
        served.fail(error)
    except OSError as error:
        served.fail(TargetError(f"{error}."))


def _end_if_broken(
    starting: asyncio.Future[None], serving: asyncio.Future[None]
) -> None:
    """End with the error if the start failed for a reason that nobody foresaw."""
    if not starting.cancelled() and starting.exception() is not None:
        serving.cancel()


class _Served:
    """A campaign with all that clients and people see of it.

    Attributes:
        stage: where the campaign appears when it runs.
        catalogue: what clients can use.
        failure: why there is no campaign.
    """

    def __init__(self, plugins: PluginManager, offer: Offer) -> None:
        self.stage = Stage()
        self.catalogue = Catalogue(
            offer.service(self.stage),
            self.stage,
            tuple(plugins.resources.values()),
            tuple(plugins.prompts.values()),
        )
        self.failure: EchidnaMcpError | None = None
        self._offer = offer
        self._link: CampaignLink | None = None
        self._request: Request | None = None
        self._reporter: Reporter | None = None

    async def start(
        self, request: Request, link: CampaignLink, *, patience: float = 0.0
    ) -> None:
        """Start the campaign and let clients use it.

        Args:
            patience: seconds to wait for a round, if there is none yet.

        Raises:
            EchidnaMcpError: it can't start.
        """
        self._link = link
        self.stage.doing = f"{request.program.main_contract.name} is being deployed"
        with told_if_slow(request):
            await link.start()
        self._request = request
        show(f"Campaign: {link.directory}", err=True)
        logs, history = EventLog(), HistoryView()

        def remember(events: Sequence[Event]) -> None:
            for event in events:
                logs.apply(event)
                history.apply(event)

        link.follow(remember)
        self.stage.doing = "its first round runs"
        await _first_round(link, patience)
        self.catalogue.open(
            ToolContext.create(
                link.views,
                link,
                logs,
                link.directory,
                history=history,
                machines=link.machines,
                executions=self.catalogue.tools.executions,
                read_only=self._offer.base.read_only,
                # What everybody may read tells of no tools that are not for everybody.
                tools=self.catalogue.tools.specs(LOCAL),
                backend=request.plugins.backends[request.options.backend],
            )
        )
        link.follow_from_now(self.catalogue.committed)
        self._reporter = make_reporter(
            request.options.progress_format,
            link.views,
            sys.stderr,
            sys.stderr.isatty(),
            link.machines,
        )
        if request.options.timeout is not None:
            limit, loop = request.options.timeout, asyncio.get_running_loop()
            reason = StopReason.TimeLimitReached.name
            loop.call_later(limit, link.request_stop, reason)
            end = partial(link.request_stop, reason, at_once=True)
            loop.call_later(limit + seconds_to_finish(limit), end)

    def display(self) -> None:
        """Begin to show progress; nothing else may be printed from now on."""
        if self._link is not None and self._reporter is not None:
            self._link.follow(self._reporter.events)

    def fail(self, error: EchidnaMcpError) -> None:
        """Tell people and clients why there is no campaign."""
        show(f"Error: {error.message}", err=True)
        self.failure = error
        self.stage.fail(error)

    @property
    def directory(self) -> Path | None:
        """Where the campaign lies, if it has started."""
        if self._link is None or self._request is None:
            return None
        return self._link.directory

    def check(self) -> None:
        """Complain if the campaign did not end, but failed.

        Raises:
            DefectError: it did.
        """
        if self._link is not None and self._link.defect is not None:
            raise self._link.defect

    def terminate(self) -> None:
        """Begin to end the campaign, if there is one; no command is accepted now."""
        if self._link is not None and self._request is not None:
            self._link.terminate()

    async def close(self) -> None:
        """End the campaign, if there is one, and what tools have opened."""
        try:
            await self.catalogue.tools.close()
        finally:
            if self._link is not None:
                await self._link.close()
            if self._reporter is not None:
                self._reporter.close()

    def report(self) -> None:
        """Print the results, if there are any."""
        if self._link is not None and self._request is not None:
            # Standard output may belong to a protocol, and a server's report is for
            # people.
            asked = self._request
            text = final_report(
                asked.options.format, self._link.views, asked.unhonoured
            )
            show(text, nl=False, err=True)
            if not self._offer.base.read_only:
                from echidna_mcp.cli.commands.covering import cover  # noqa: PLC0415 (slow imports)

                cover(asked, self._link.views, self._link.directory)


async def _first_round(link: CampaignLink, patience: float) -> None:
    """Wait until there is a round, or until patience runs out."""
    there = asyncio.Event()

    def look(_events: Sequence[Event]) -> None:
        if link.views.progress.round or link.ended.is_set():
            there.set()

    look(())
    link.follow_from_now(look)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(patience):
            await there.wait()


def _keep() -> None:
    """Take what is there now, and lasts, out of the search for garbage.

    Looking through all of it again and again would stop calls, for 100 ms each time.
    """
    gc.collect()
    gc.freeze()


async def _in_thread(work: Callable[[], _Result]) -> _Result:
    """Do work beside the event loop; a process that ends does not wait for it."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[_Result] = loop.create_future()

    def settle(tell: Callable[[], None]) -> None:
        def told() -> None:
            if not future.done():
                tell()

        with contextlib.suppress(RuntimeError):  # Nobody is left to be told.
            loop.call_soon_threadsafe(told)

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 (it is raised where it is awaited)
            failed = error
            settle(lambda: future.set_exception(failed))
        else:
            settle(lambda: future.set_result(result))

    threading.Thread(target=run, name="start", daemon=True).start()
    return await future
