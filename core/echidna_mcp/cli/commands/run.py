"""`echidna-mcp run`: a campaign without a server, for a person or for CI."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

from echidna_mcp.campaign.director import Director, StopReason, seconds_to_finish
from echidna_mcp.cli.commands.conclusion import conclude
from echidna_mcp.cli.commands.dry_run import show_plan
from echidna_mcp.cli.display.reporter import make_reporter
from echidna_mcp.cli.request.campaign import make_request, read_settings, told_if_slow
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.server.campaign_process import open_campaign

_TERMINATION_SECONDS = 8.0
"""How long after SIGTERM a good end is waited for: `docker stop` kills after ten."""


def run(parameters: dict[str, Any]) -> None:
    """Run the command, with the parameters of the command line."""
    dry_run = parameters.pop("dry_run")
    request = make_request(read_settings(parameters), unlimited=False)
    if dry_run:
        show_plan(request)
        return
    executor = make_executor(request.plugins.executors, request.options.executor)
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
    conclude(request, views, campaign.store.path.parent)


@contextmanager
def _stoppable(director: Director, timeout: int | None) -> Iterator[None]:
    """Let ctrl-C and the time limit end the campaign in good order."""
    terminating = False

    def interrupt(number: int, _frame: FrameType | None) -> None:
        nonlocal terminating
        director.request_stop(StopReason.Killed)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # A second one quits.
        # Nobody sends a second SIGTERM, or `timeout` both at the same moment.
        if number == signal.SIGTERM and not terminating:
            terminating = True
            _quit_later()

    before = {
        number: signal.signal(number, interrupt)
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    timers = []
    if timeout is not None:
        stop = partial(director.request_stop, StopReason.TimeLimitReached)
        timers = [
            threading.Timer(timeout, stop),
            threading.Timer(
                timeout + seconds_to_finish(timeout), partial(stop, at_once=True)
            ),
        ]
    for timer in timers:
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
        if terminating:
            _quit_later(seconds=0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _quit_later(seconds: float = _TERMINATION_SECONDS) -> None:
    """Raise `KeyboardInterrupt` in this thread after a while; with 0, don't any more.

    It is raised again each second, because the garbage collector may swallow one.
    """
    if hasattr(signal, "setitimer"):  # Windows ends a process without asking.
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, seconds, 1.0 if seconds else 0.0)
