"""The deadline of a handler, whether it waits or computes.

A handler that waits is cancelled at its deadline. One that computes can't be: it has
the event loop, and with it all other calls. Most that are late just finish. What does
not come back to the event loop within `STEP_SECONDS` is interrupted by a signal, so
that an endless loop in a plugin ends one call instead of the server.
"""

from __future__ import annotations

import asyncio
import signal
import threading
import types
from collections.abc import Awaitable, Callable, Coroutine, Generator
from functools import partial
from typing import Any, Final, TypeVar

STEP_SECONDS: Final = 2.0
"""How long a handler may keep the event loop. Far above any deadline: what is merely
slow would never end if it were interrupted in every call."""

_Result = TypeVar("_Result")


class DeadlineExceededError(Exception):
    """The work did not end in time, and has been ended."""


async def within(seconds: float, work: Callable[[], Awaitable[_Result]]) -> _Result:
    """Start work, and return its result if it has one in time.

    Raises:
        DeadlineExceededError: it waited beyond the deadline, or computed for
            `STEP_SECONDS` without a pause.
    """

    async def started() -> _Result:
        return await work()

    deadline = asyncio.timeout(seconds)
    try:
        async with deadline:
            return await _watched(started())
    except TimeoutError as error:
        if not deadline.expired():
            raise  # the work's own
        raise DeadlineExceededError from error
    except _Interrupted as error:
        raise DeadlineExceededError from error


class _Interrupted(BaseException):
    """Raised in the middle of work. No `Exception`: plugins have handlers for those."""


@types.coroutine
def _watched(work: Coroutine[Any, Any, _Result]) -> Generator[Any, Any, _Result]:
    """Await work, with an eye on each of its steps between two waits."""
    step: Callable[[], Any] = partial(work.send, None)
    while True:
        try:
            waits_for = _interruptible(step)
        except StopIteration as end:
            result: _Result = end.value
            return result
        try:
            step = partial(work.send, (yield waits_for))
        except BaseException as error:  # noqa: BLE001 (it is for the work)
            step = partial(work.throw, error)


def _interruptible(step: Callable[[], Any]) -> Any:
    """Do a step; interrupt it if it takes too long, again and again until it ends."""
    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or not hasattr(signal, "setitimer"):
        return step()  # Python has signals nowhere else.
    armed = True

    def interrupt(*_: object) -> None:
        if armed:
            raise _Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, STEP_SECONDS, STEP_SECONDS)
    try:
        try:
            return step()
        finally:
            armed = False
    finally:  # Also if the signal came just before that line.
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before or signal.SIG_DFL)
