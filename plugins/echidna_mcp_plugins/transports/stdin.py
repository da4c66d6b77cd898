"""Standard input as lines that can be waited for and given up on.

The SDK reads standard input in a thread that can't be interrupted: a server asked to
stop would hang until its client says something. Here the event loop waits for input.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import anyio

_STDIN = 0
_CHUNK = 1 << 16


@contextmanager
def claim_stdin() -> Iterator[anyio.AsyncFile[str]]:
    """Take standard input for ourselves, and give it back on leaving.

    Meanwhile file descriptor 0 is the null device, so that child processes can't eat
    what the client sends to us.
    """
    own = os.dup(_STDIN)
    try:
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, _STDIN)
        os.close(null)
        try:
            # The SDK only iterates over it.
            yield cast("anyio.AsyncFile[str]", _Lines(own))
        finally:
            os.dup2(own, _STDIN)
    finally:
        os.close(own)


class _Lines:
    """Lines of a file descriptor, as text."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    async def __aiter__(self) -> AsyncIterator[str]:
        rest = b""
        while chunk := await self._read():
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield line.decode(errors="replace")
        if rest:
            yield rest.decode(errors="replace")

    async def _read(self) -> bytes:
        loop = asyncio.get_running_loop()
        readable = loop.create_future()
        try:
            loop.add_reader(self._fd, _resolve, readable)
        except PermissionError:
            # A file (not a pipe, socket or terminal) is always readable.
            return os.read(self._fd, _CHUNK)
        try:
            await readable
        finally:
            loop.remove_reader(self._fd)
        return os.read(self._fd, _CHUNK)


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
