"""Fronts of the tools: the HTTP server, or the standard streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.transport import (
    HttpTransport,
    StdioTransport,
    TransportOptions,
)
from echidna_mcp.cli.console.output import show
from echidna_mcp.errors import UsageError
from echidna_mcp.server.http import HttpServer

if TYPE_CHECKING:
    from pathlib import Path

    from echidna_mcp.catalogue.catalogue import Catalogue
    from echidna_mcp.plugins.manager import PluginManager
    from echidna_mcp.tools.tool import Tool

_OTHERS = 0o077


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """How a server can be reached, and what it offers.

    Attributes:
        transport: `http` or `stdio`.
        host, port: where it listens, if it is over HTTP.
        token: bearer token that it asks for over HTTP.
        token_file: where the token stands instead.
        allowed_hosts: further names by which clients may address it.
        tools: names of the tools that it offers, separated by commas; None for all.
        read_only: it does not offer to steer the campaign, and tools write nothing.
        options: for the transports.
    """

    transport: str
    host: str
    port: int
    token: str | None
    token_file: Path | None
    allowed_hosts: tuple[str, ...]
    tools: str | None
    read_only: bool
    options: TransportOptions


@dataclass(frozen=True, slots=True)
class Offer:
    """What clients can do: the tools, and whether anything may be written."""

    tools: tuple[Tool, ...]
    read_only: bool


def token_of(service: Service) -> str | None:
    """Return the token that clients must send.

    Raises:
        UsageError: it is given twice, or can't be read, or is none.
    """
    path = service.token_file
    if service.token == "":
        raise UsageError(
            "The token (--token or ECHIDNA_MCP_TOKEN) is empty; leave it out, or give "
            "one, for example what `openssl rand -hex 32` prints."
        )
    if path is None:
        return service.token
    if service.token:
        raise UsageError(
            "--token-file and a token (--token or ECHIDNA_MCP_TOKEN) are both given; "
            "choose one."
        )
    try:
        token = path.read_text("utf-8").strip()
        open_to_all = path.stat().st_mode & _OTHERS
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"--token-file {path}: can't be read: {reason}.") from error
    if not token.isprintable() or not token.isascii() or " " in token or not token:
        raise UsageError(
            f"--token-file {path}: must hold one line of printable ASCII without "
            "blanks, for example what `openssl rand -hex 32` prints."
        )
    if open_to_all:
        show(
            f"Warning: others can read {path}; make it yours alone with chmod 600.",
            err=True,
        )
    return token


class HttpFront:
    """HTTP in front of the tools; takes its port before the campaign starts."""

    def __init__(
        self, plugins: PluginManager, service: Service, token: str | None
    ) -> None:
        offered = plugins.transports.values()
        self._server = HttpServer(
            [one for one in offered if isinstance(one, HttpTransport)],
            host=service.host,
            port=service.port,
            token=token,
            allowed_hosts=service.allowed_hosts,
            options=service.options,
        )
        self._server.bind()

    def load(self) -> None:
        """Import what serving needs."""
        self._server.load()

    async def serve(self, catalogue: Catalogue, ready: Callable[[], None]) -> None:
        """Serve until cancelled; call `ready` when clients can connect."""

        def announce(url: str) -> None:
            for title, page in self._server.pages.items():
                show(f"{title}: {page}", err=True)
            show(f"MCP server listening on {url}", err=True)
            ready()

        await self._server.serve(catalogue, announce)

    def close(self) -> None:
        """Give the port back; for a front that has not served."""
        self._server.close()


class StdioFront:
    """Standard streams in front of the tools, for a client that started us."""

    def __init__(self, plugins: PluginManager, options: TransportOptions) -> None:
        offered = plugins.transports.values()
        transports = [one for one in offered if isinstance(one, StdioTransport)]
        if not transports:
            raise UsageError("--transport stdio: enable the plugin stdio.")
        self._transport = transports[0]
        self._options = options

    def load(self) -> None:
        """Import what serving needs."""
        for name in self._transport.modules:
            import_module(name)

    async def serve(self, catalogue: Catalogue) -> None:
        """Serve until the client leaves."""
        await self._transport.serve(catalogue, self._options)
