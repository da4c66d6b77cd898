"""Whose request is begun next, when many come at once.

Requests are worked at in one event loop, which would take small steps of hundreds of
them in turn: each would be answered when all are. So one is begun in each round of the
loop, and of those that wait it is the newest and the oldest by turns. A client that
comes last is so answered soon, and none waits for ever.
"""

from __future__ import annotations

import asyncio
from collections import deque


class Turns:
    """Begins one request in each round of the event loop."""

    def __init__(self) -> None:
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._is_taken = False
        """Whether one has begun in this round."""
        self._newest = True

    async def wait(self) -> None:
        """Wait for a turn; if nobody else does, there is nothing to wait for."""
        loop = asyncio.get_running_loop()
        if not self._is_taken:
            self._is_taken = True
            loop.call_soon(self._next)
            return
        turn: asyncio.Future[None] = loop.create_future()
        self._waiting.append(turn)
        await turn

    def _next(self) -> None:
        while self._waiting:
            self._newest = not self._newest
            turn = self._waiting.pop() if self._newest else self._waiting.popleft()
            if not turn.done():  # else the client has gone
                turn.set_result(None)
                asyncio.get_running_loop().call_soon(self._next)
                return
        self._is_taken = False
