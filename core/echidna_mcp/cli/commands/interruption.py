"""Ctrl-C and SIGTERM while an event loop runs."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


def run_async(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end; a signal before it begins leaves no warning."""
    try:
        with contextlib.closing(asyncio.Runner()) as runner:
            with _held():  # What raises in there leaves half a loop, which complains.
                runner.get_loop()
            return runner.run(work)
    finally:
        work.close()


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


@contextlib.contextmanager
def _held() -> Iterator[None]:
    """Hear ctrl-C and SIGTERM behind this only.

    To block them would not do: another thread gets them then, and the main thread
    is interrupted all the same.
    """
    heard: list[int] = []
    before = {
        number: signal.signal(number, lambda sent, _frame: heard.append(sent))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    for sent in heard:
        signal.raise_signal(sent)
