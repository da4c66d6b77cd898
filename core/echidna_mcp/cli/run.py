"""`echidna-mcp run`: a campaign without a server, for a person or for CI."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import click

from echidna_mcp.campaign.director import Director, StopReason
from echidna_mcp.cli.display import final_report, make_reporter
from echidna_mcp.cli.options import campaign_options
from echidna_mcp.cli.output import show
from echidna_mcp.cli.request import read_request, told_if_slow
from echidna_mcp.plugins.select import make_executor
from echidna_mcp.server.campaign_process import open_campaign


@click.command("run", short_help="Fuzz a target until its limit, then report.")
@campaign_options
def run_command(**parameters: Any) -> None:
    """Fuzz TARGET until its limit, then report.

    TARGET is a .sol or .vy file, a directory of them, or a compiled artifact (.json);
    without one a bundled demo is fuzzed.

    Exits with 0 if every test passes, with 1 if one was falsified, with 2 and a
    sentence if something is wrong. Ctrl-C ends the campaign in good order; a second one
    quits at once. The same --corpus-dir goes on where it stopped.
    """
    request = read_request(parameters, unlimited=False)
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
    sys.exit(1 if views.properties.falsified else 0)


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
