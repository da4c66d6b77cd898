"""Uvicorn as a guest in an event loop that is not its own."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator

import uvicorn

from echidna_mcp.server.guard import Guard

# Together with uvicorn's own polling (0.1 s twice) a stop takes less than two seconds.
_GRACE_SECONDS = 1
_FAREWELL_SECONDS = 0.2
_CONNECTIONS = 512


class Listener(uvicorn.Server):
    """Serves a guarded application on sockets that are already bound.

    It leaves signals to the program, logging to the program (warnings and errors go to
    standard error) and, when it stops, no task and no connection behind.
    """

    def __init__(self, guard: Guard) -> None:
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

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signal handlers of the program in place."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to accept connections and tell who waits for it."""
        await super().startup(sockets=sockets)
        self.ready.set()

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
