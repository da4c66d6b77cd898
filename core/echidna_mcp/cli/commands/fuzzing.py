"""A campaign in this process, until its end: ctrl-C and a time limit may ask for it."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

from echidna_mcp.campaign.director import (
    Director,
    Observer,
    StopReason,
    seconds_to_finish,
)
from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.campaign.start import OpenCampaign
from echidna_mcp.cli.request.injections import inject
from echidna_mcp.events.event import Event

_TERMINATION_SECONDS = 8.0
"""How long after SIGTERM a good end is waited for: `docker stop` kills after ten."""
_SAME_MOMENT = 0.5
"""Seconds in which nobody means a second one: `timeout` sends its signal to the program
and then to the group of processes that it is in."""


def fuzz(
    campaign: OpenCampaign,
    executor: ReliableExecutor,
    timeout: int | None,
    observers: Sequence[Observer] = (),
    *,
    enough: Callable[[], bool] | None = None,
    injections: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Run a campaign until it ends; one that has ended stays as it is.

    Args:
        timeout: seconds after which it is asked to stop; None for never.
        observers: told of each commit.
        enough: asked after each commit whether it is to stop at once; nobody, if None.
        injections: arguments of commands that it has from the beginning.
    """
    if campaign.engine.views.progress.stopped is not None:
        return

    def ask(_events: Sequence[Event]) -> None:
        if enough is not None and enough():
            director.request_stop(StopReason.Killed)

    director = Director(
        campaign.engine,
        campaign.store,
        executor,
        news=campaign.events,
        source=campaign.source,
        solver=campaign.solver,
        observers=[*observers, ask],
    )
    inject(injections, director)
    with stoppable(director, timeout):
        director.run()


@contextmanager
def stoppable(director: Director, timeout: int | None) -> Iterator[None]:
    """Let ctrl-C and the time limit end the campaign in good order."""
    terminating = False
    asked_at: float | None = None

    def interrupt(number: int, _frame: FrameType | None) -> None:
        nonlocal asked_at, terminating
        now = time.monotonic()
        if asked_at is None:
            asked_at = now
        elif number == signal.SIGINT and now - asked_at > _SAME_MOMENT:
            raise KeyboardInterrupt
        director.request_stop(StopReason.Killed)
        # Nobody sends a second SIGTERM.
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
