"""Uvicorn as a guest in an event loop that is not its own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import TypeAlias

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from echidna_mcp.server.guard import Guard

# Together with uvicorn's own polling (0.1 s twice) a stop takes less than two seconds.
_GRACE_SECONDS = 1
_FAREWELL_SECONDS = 0.2
_CONNECTIONS = 512
_TICKS = 5  # Uvicorn has ten a second.

_Waiting: TypeAlias = dict[H11Protocol, tuple[RequestResponseCycle | None, float]]


class Listener(uvicorn.Server):
    """Serves a guarded application on sockets that are already bound.

    It leaves signals to the program, logging to the program (warnings and errors go to
    standard error) and, when it stops, no task and no connection behind. A connection
    on which no headers come in time is closed.

    Args:
        guard: the application.
        header_seconds: how long headers may take.
    """

    def __init__(self, guard: Guard, header_seconds: float) -> None:
        super().__init__(
            uvicorn.Config(
                guard,
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="warning",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                limit_concurrency=_CONNECTIONS,
                timeout_graceful_shutdown=_GRACE_SECONDS,
            )
        )
        self.ready = asyncio.Event()
        self._guard = guard
        self._header_seconds = header_seconds
        self._waiting: _Waiting = {}
        """Connections without a request, the last one on each, and since when."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signal handlers of the program in place."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections and tell who waits for it."""
        await super().startup(sockets=sockets)
        self.ready.set()

    async def on_tick(self, counter: int) -> bool:
        """Do what is to be done from time to time; tell whether to stop."""
        if counter % _TICKS == 0:
            self._close_silent()
        return await super().on_tick(counter)

    def _close_silent(self) -> None:
        """Close connections whose headers take too long; uvicorn waits for ever."""
        now = asyncio.get_running_loop().time()
        waiting: _Waiting = {}
        for connection in list(self.server_state.connections):
            if not isinstance(connection, H11Protocol):
                continue
            # Typed as if there were always one; there is none before the first request.
            cycle: RequestResponseCycle | None = connection.cycle
            if cycle is not None and not cycle.response_complete:
                continue
            last, since = self._waiting.get(connection, (cycle, now))
            waiting[connection] = cycle, since if last is cycle else now
            if now - waiting[connection][1] > self._header_seconds:
                connection.transport.abort()
        self._waiting = waiting

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End streams, let calls finish within the grace period, drop the rest."""
        self._guard.close()
        await super().shutdown(sockets=sockets)
        tasks = list(self.server_state.tasks)
        if tasks:  # cancelled by now; each may say so to its client, if that listens
            await asyncio.wait(tasks, timeout=_FAREWELL_SECONDS)
        for connection in list(self.server_state.connections):
            connection.transport.abort()
        await asyncio.gather(*tasks, return_exceptions=True)
