"""Event streams of the SDK, as both HTTP transports use them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sse_starlette import sse


@asynccontextmanager
async def stream_watcher_ended() -> AsyncIterator[None]:
    """End, on leaving, the task that sse-starlette starts with the first stream.

    It polls for signals that uvicorn caught. Here uvicorn catches none and the guard
    ends the streams, so the task would only outlive the server. If another server in
    this event loop still streams, the next stream starts the task again.
    """
    try:
        yield
    finally:
        watchers = [task for task in asyncio.all_tasks() if _watches(task)]
        for task in watchers:
            task.cancel()
        await asyncio.gather(*watchers, return_exceptions=True)


def _watches(task: asyncio.Task[object]) -> bool:
    watcher = getattr(sse, "_shutdown_watcher", None)
    code = getattr(task.get_coro(), "cr_code", None)
    return watcher is not None and code is watcher.__code__
