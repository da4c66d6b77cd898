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
from echidna_mcp.server.limits import Limits

try:
    import resource
except ImportError:  # Windows has none.
    resource = None  # type: ignore[assignment]

# Together with uvicorn's own polling (0.1 s twice) a stop takes less than two seconds.
_GRACE_SECONDS = 1
_FAREWELL_SECONDS = 0.2
# Above the limit of connections, because those that have been dropped count until they
# are noticed; beyond it even good clients are refused.
_CONNECTIONS = 2048
# So many are accepted at once, before those that have been dropped are looked at.
_BACKLOG = 512
_FILES = 2 * _CONNECTIONS
# Even in a crowd, a connection may take so long to send its first headers.
_PATIENCE_SECONDS = 1.0
_TICKS = 5  # Uvicorn has ten a second.

_Waiting: TypeAlias = dict[H11Protocol, tuple[RequestResponseCycle | None, float]]


class Listener(uvicorn.Server):
    """Serves a guarded application on sockets that are already bound.

    It leaves signals to the program, logging to the program (warnings and errors go to
    standard error) and, when it stops, no task and no connection behind. A connection
    on which no headers come in time is closed.

    Args:
        guard: the application.
        limits: what clients may cost.
    """

    def __init__(self, guard: Guard, limits: Limits) -> None:
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
                backlog=_BACKLOG,
                limit_concurrency=_CONNECTIONS,
                timeout_graceful_shutdown=_GRACE_SECONDS,
            )
        )
        self.ready = asyncio.Event()
        self._guard = guard
        self._limits = limits
        self._waiting: _Waiting = {}
        """Connections without a request, the last one on each, and since when."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signal handlers of the program in place."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections and tell who waits for it."""
        _allow_files(_FILES)
        await super().startup(sockets=sockets)
        self.ready.set()

    async def on_tick(self, counter: int) -> bool:
        """Do what is to be done from time to time; tell whether to stop."""
        if counter % _TICKS == 0:
            self._close_silent()
        return await super().on_tick(counter)

    def _close_silent(self) -> None:
        """Close connections whose headers take too long; uvicorn waits for ever.

        If there are too many connections, those that wait longest go at once.
        """
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
        self._waiting = waiting
        longest = sorted(waiting, key=lambda connection: waiting[connection][1])
        surplus = len(self.server_state.connections) - self._limits.connections
        for number, connection in enumerate(longest):
            waited = now - waiting[connection][1]
            crowding = number < surplus and waited > _PATIENCE_SECONDS
            if crowding or waited > self._limits.header_seconds:
                connection.transport.abort()

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


def _allow_files(number: int) -> None:
    """Let this process open so many files, as far as the system allows it."""
    if resource is not None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if hard != resource.RLIM_INFINITY:
            number = min(number, hard)
        if soft != resource.RLIM_INFINITY and soft < number:
            resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard))
