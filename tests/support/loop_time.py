"""Waiting in an event loop, and its time, on a machine that others use as well."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

PATIENCE = 60.0
"""Seconds after which nothing more is to be expected, on any machine."""

TICK = 0.02


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something holds that nobody tells of.

    Raises:
        TimeoutError: it does not.
    """
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(TICK)


@dataclass(slots=True)
class LoopTime:
    """A clock that stands still while the event loop does.

    Attributes:
        ticks: how often the event loop has waited for `TICK`.
    """

    ticks: int = 0

    @property
    def seconds(self) -> float:
        """The time so far; a stall is a tick, however long."""
        return self.ticks * TICK


@asynccontextmanager
async def loop_time() -> AsyncIterator[LoopTime]:
    """Take the time from here on to the end of the block."""
    time = LoopTime()

    async def count() -> None:
        while True:
            await asyncio.sleep(TICK)
            time.ticks += 1

    counting = asyncio.create_task(count())
    try:
        yield time
    finally:
        counting.cancel()
        await asyncio.gather(counting, return_exceptions=True)
