"""Ctrl-C and SIGTERM while an event loop runs."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Awaitable, Callable


@contextlib.asynccontextmanager
async def interruptible(
    work: Awaitable[None], begin: Callable[[], None]
) -> AsyncIterator[asyncio.Future[None]]:
    """Let ctrl-C and SIGTERM end `work` in good order, and call `begin` before."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)

    def end() -> None:
        begin()
        task.cancel()

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, end)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            yield task
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
