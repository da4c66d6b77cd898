"""`echidna-mcp run`: a campaign without a server, for a person or for CI."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from echidna_mcp.campaign.director import Director, StopReason
from echidna_mcp.cli.display import final_report, make_reporter
from echidna_mcp.cli.output import show
from echidna_mcp.cli.printable import printable
from echidna_mcp.cli.request import make_request, read_settings, told_if_slow
from echidna_mcp.errors import DisputedTestsError
from echidna_mcp.plugins.select import make_executor
from echidna_mcp.server.campaign_process import open_campaign


def run(parameters: dict[str, Any]) -> None:
    """Run the command, with the parameters of the command line."""
    request = make_request(read_settings(parameters), unlimited=False)
    executor = make_executor(request.plugins, request.options.executor)
    try:
        with told_if_slow(request):
            campaign = open_campaign(
                request.spec(keep_going=False), request.plugins, executor
            )
        views = campaign.engine.views
        reporter = make_reporter(
            request.options.progress_format, views, sys.stderr, sys.stderr.isatty()
        )
        with campaign.store:
            reporter.events(campaign.events)
            if campaign.opened:
                request.plugins.events_committed(campaign.opened)
            director = Director(
                campaign.engine,
                campaign.store,
                executor,
                news=campaign.events,
                observers=[request.plugins.events_committed, reporter.events],
            )
            try:
                if views.progress.stopped is None:
                    with _stoppable(director, request.options.timeout):
                        director.run()
            finally:
                reporter.close()
    finally:
        executor.close()
    show(final_report(request.options.format, views), nl=False)
    if request.options.format != "json":
        show(f"Campaign: {request.directory}", err=True)
    if views.properties.falsified:
        sys.exit(1)
    disputed = [record.name for record in views.properties.disputed]
    if disputed:
        raise DisputedTestsError(
            f"Whether these tests pass is undecided: {printable(', '.join(disputed))}. "
            "Two EVMs disagree, so one of them has a bug; please report it, with the "
            "contract and the call sequence.",
            tests=disputed,
        )


@contextmanager
def _stoppable(director: Director, timeout: int | None) -> Iterator[None]:
    """Let ctrl-C and the time limit end the campaign in good order."""

    def interrupt(_signal: int, _frame: FrameType | None) -> None:
        director.request_stop(StopReason.Killed)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # A second one quits.

    before = {
        number: signal.signal(number, interrupt)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    timer = threading.Timer(
        timeout or 0, director.request_stop, (StopReason.TimeLimitReached,)
    )
    timer.daemon = True
    if timeout is not None:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
