"""The HTTP server: all transports over HTTP, on one port, behind one guard."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from importlib import import_module
from typing import TYPE_CHECKING

from echidna_mcp import __version__
from echidna_mcp.catalogue.transport import TransportOptions
from echidna_mcp.errors import UsageError
from echidna_mcp.server.address import Hosts, bracketed, is_loopback, listen
from echidna_mcp.server.limits import Limits

if TYPE_CHECKING:
    import socket

    from starlette.requests import Request
    from starlette.responses import Response
    from starlette.routing import BaseRoute

    from echidna_mcp.catalogue.catalogue import Catalogue
    from echidna_mcp.catalogue.transport import HttpMount, HttpTransport
    from echidna_mcp.server.guard import Guard
    from echidna_mcp.server.listener import Listener
    from echidna_mcp.tools.principal import Principal

HEALTH_PATH = "/healthz"

# Imported when they are needed, because they take long.
_MODULES = (
    "anyio",
    "starlette.applications",
    "echidna_mcp.server.guard",
    "echidna_mcp.server.listener",
)

# What a client on this machine connects to when we listen on all addresses.
_WILDCARDS: Mapping[str, str] = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104


class HttpServer:
    """Serves a catalogue over HTTP in the event loop of its caller; usable once."""

    def __init__(
        self,
        transports: Sequence[HttpTransport],
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tokens: Mapping[str, Principal] | None = None,
        allowed_hosts: Sequence[str] = (),
        limits: Limits | None = None,
        options: TransportOptions | None = None,
    ) -> None:
        """Configure a server; nothing is opened yet.

        Args:
            transports: at least one that is for MCP clients.
            host: address to listen on.
            port: 0 for any free port.
            tokens: bearer tokens and whose they are, of which clients must send one;
                needed beyond this machine.
            allowed_hosts: further names by which clients may address this server.
            limits: what one client may cost.
            options: for the transports.

        Raises:
            UsageError: no transport, or other machines could reach us without a token.
        """
        if all(one.title for one in transports):
            raise UsageError(
                "No transport over HTTP is enabled; enable the plugin http or sse, "
                "or choose --transport stdio."
            )
        if not is_loopback(host) and not tokens:
            raise UsageError(
                f"Listening on {host or 'all addresses'} lets other machines steer the "
                "campaign; set a token with --token, or listen on 127.0.0.1."
            )
        self._transports = tuple(transports)
        self._host = host
        self._port = port
        self._tokens = tokens or {}
        self._hosts = Hosts.of(host, allowed_hosts)
        self._limits = Limits() if limits is None else limits
        self._options = TransportOptions() if options is None else options
        self._socket: socket.socket | None = None
        self._listener: Listener | None = None
        self._stopped = False

    def bind(self) -> str:
        """Take the port now, before slower things start, and return `url`.

        Raises:
            UsageError: the port is taken or not allowed, or the host is not ours.
        """
        if self._socket is None:
            unread = self._limits.unread_seconds
            self._socket = listen(self._host, self._port, unread)
            self._port = self._socket.getsockname()[1]
        return self.url

    @property
    def url(self) -> str:
        """Where MCP clients connect to the first transport that is for them."""
        return next(self.urls[one.name] for one in self._transports if not one.title)

    @property
    def pages(self) -> Mapping[str, str]:
        """Where people look in a browser, by title."""
        return {one.title: self.urls[one.name] for one in self._transports if one.title}

    @property
    def urls(self) -> Mapping[str, str]:
        """Where a client connects to each transport, by its name."""
        host = bracketed(_WILDCARDS.get(self._host, self._host))
        base = f"http://{host}:{self._port}"
        return {one.name: base + one.path for one in self._transports}

    def load(self) -> None:
        """Import now what `serve` needs; callable from any thread.

        Raises:
            ImportError: something is not installed.
        """
        for name in (*_MODULES, *(m for one in self._transports for m in one.modules)):
            import_module(name)

    async def serve(
        self, catalogue: Catalogue, on_ready: Callable[[str], None] | None = None
    ) -> None:
        """Serve until `stop` is called or the task is cancelled, then clean up.

        Calls in flight may finish within a second; streams end at once.

        Args:
            on_ready: told `url` when connections are accepted.

        Raises:
            UsageError: the port is taken or not allowed, or the host is not ours.
        """
        self.bind()
        try:
            async with AsyncExitStack() as stack:
                await self._listen(await self._build(catalogue, stack), on_ready)
        finally:
            self.close()

    def stop(self) -> None:
        """Ask `serve` to return; callable at any time, from the same thread."""
        self._stopped = True
        if self._listener is not None:
            self._listener.should_exit = True

    def close(self) -> None:
        """Give the port back. Only needed after `bind` without `serve`."""
        if self._socket is not None:
            self._socket.close()

    async def _build(self, catalogue: Catalogue, stack: AsyncExitStack) -> Guard:
        from starlette.applications import Starlette  # noqa: PLC0415 (slow import)
        from starlette.routing import Route  # noqa: PLC0415

        from echidna_mcp.server.guard import Guard  # noqa: PLC0415

        routes: list[BaseRoute] = [Route(HEALTH_PATH, _health, methods=["GET"])]
        mounts: list[HttpMount] = []
        for transport in self._transports:
            mount = transport.mount(catalogue, self._options)
            mounts.append(mount)
            routes.extend(mount.routes)
            await stack.enter_async_context(mount.lifespan())
        return Guard(
            Starlette(routes=routes),
            hosts=self._hosts,
            tokens=self._tokens,
            limits=self._limits,
            public=(HEALTH_PATH, *(path for mount in mounts for path in mount.public)),
            closing=[mount.closing for mount in mounts if mount.closing is not None],
        )

    async def _listen(
        self, guard: Guard, on_ready: Callable[[str], None] | None
    ) -> None:
        from anyio import CancelScope  # noqa: PLC0415 (slow import)

        from echidna_mcp.server.listener import Listener  # noqa: PLC0415

        assert self._socket is not None, "bind comes first"
        listener = self._listener = Listener(guard, self._limits)
        listener.should_exit = self._stopped
        serving = asyncio.create_task(listener.serve(sockets=[self._socket]))
        ready = asyncio.create_task(listener.ready.wait())
        try:
            await asyncio.wait({serving, ready}, return_when=asyncio.FIRST_COMPLETED)
            if listener.started and on_ready is not None:
                on_ready(self.url)
            await asyncio.shield(serving)
        finally:
            ready.cancel()
            listener.should_exit = True
            # A cancellation ends the server in good order, too.
            with CancelScope(shield=True):
                await asyncio.gather(serving, ready, return_exceptions=True)


async def _health(_request: Request) -> Response:
    from starlette.responses import JSONResponse  # noqa: PLC0415 (slow import)

    return JSONResponse({"status": "ok", "version": __version__})
