"""Fronts of the tools: the HTTP server, or the standard streams."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
from echidna_mcp.tools.offered import selected
from echidna_mcp.tools.principal import LOCAL, TIERS, Principal
from echidna_mcp.tools.service import ToolService
from echidna_mcp.tools.tool import CallContext
from echidna_mcp.wording import listed

if TYPE_CHECKING:
    from pathlib import Path

    from echidna_mcp.catalogue.catalogue import Catalogue
    from echidna_mcp.plugins.manager import PluginManager
    from echidna_mcp.tools.rendering import ErrorRenderer
    from echidna_mcp.tools.stage import Stage
    from echidna_mcp.tools.tool import Tool

_OTHERS = 0o077

UNITY_PROJECT = "unity-project"
"""Name of the directory that the tools of the set editor read."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What clients can do.

    Attributes:
        tools: what they can call.
        renderers: how failures of the tools look, by family.
        base: what handlers may use that need no campaign; says as well whether
            anything may be written.
    """

    tools: tuple[Tool, ...]
    renderers: Mapping[str, ErrorRenderer]
    base: CallContext

    def service(self, stage: Stage) -> ToolService:
        """Return the tools, ready to be called."""
        return ToolService(self.tools, stage, renderers=self.renderers, base=self.base)


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """How a server can be reached, and what it offers.

    Attributes:
        transport: `http` or `stdio`.
        host, port: where it listens, if it is over HTTP.
        token: bearer token that it asks for over HTTP.
        token_file: where tokens stand instead.
        tier: of who calls without a token that says another.
        allowed_hosts: further names by which clients may address it.
        tools: names of the tools that it offers, separated by commas; None for all.
        read_only: it does not offer to steer the campaign, and tools write nothing.
        directories: what tools were told to read or keep their own data in, by name.
        options: for the transports.
    """

    transport: str
    host: str
    port: int
    token: str | None
    token_file: Path | None
    tier: str
    allowed_hosts: tuple[str, ...]
    tools: str | None
    read_only: bool
    options: TransportOptions
    directories: Mapping[str, Path] = field(default_factory=dict)

    def offer(self, plugins: PluginManager, *, campaign: bool) -> Offer:
        """Return what it offers of what plugins register.

        Args:
            campaign: there is one, or will be.

        Raises:
            UsageError: `tools` names none, or nothing is left, or a directory that
                tools are to read is none.
        """
        project = self.directories.get(UNITY_PROJECT)
        if project is not None and not project.is_dir():
            raise UsageError(f"--unity-project {project}: there is no such directory.")
        tools = {
            name: tool
            for name, tool in plugins.tools.items()
            if campaign or not tool.spec.needs_campaign
        }
        if not campaign and not tools:
            raise UsageError(
                "No enabled plugin has a tool that needs no campaign; enable some, for "
                "example with --plugins editor, or leave --no-campaign out."
            )
        base = CallContext(read_only=self.read_only, directories=self.directories)
        offered = selected(tools, self.tools, read_only=self.read_only)
        return Offer(offered, plugins.error_renderers, base)


def tokens_of(service: Service) -> dict[str, Principal]:
    """Return the tokens of which clients must send one, and whose they are.

    Raises:
        UsageError: they are given twice, or can't be read, or one is none.
    """
    path = service.token_file
    if service.token == "":
        raise UsageError(
            "The token (--token or ECHIDNA_MCP_TOKEN) is empty; leave it out, or give "
            "one, for example what `openssl rand -hex 32` prints."
        )
    if path is None:
        caller = Principal(LOCAL.name, service.tier)
        return {service.token: caller} if service.token else {}
    if service.token:
        raise UsageError(
            "--token-file and a token (--token or ECHIDNA_MCP_TOKEN) are both given; "
            "choose one."
        )
    try:
        text = path.read_text("utf-8")
        open_to_all = path.stat().st_mode & _OTHERS
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise UsageError(f"--token-file {path}: can't be read: {reason}.") from error
    tokens = _read_tokens(text, path, service.tier)
    if open_to_all:
        show(
            f"Warning: others can read {path}; make it yours alone with chmod 600.",
            err=True,
        )
    return tokens


def _read_tokens(text: str, path: Path, tier: str) -> dict[str, Principal]:
    """Read lines `TOKEN [TIER [NAME]]`.

    Raises:
        UsageError: names line and reason, never a token.
    """
    tokens: dict[str, Principal] = {}
    for number, line in enumerate(text.split("\n"), 1):
        token, *rest = line.split() or [""]
        if not token or token.startswith("#"):
            continue
        if not (token.isprintable() and token.isascii()):
            wrong = "a token is printable ASCII without blanks"
        elif rest and rest[0] not in TIERS:
            wrong = f"after the token comes a tier, {listed(TIERS, 'or')}"
        elif len(rest) > 2:
            wrong = "after the tier comes a name of one word"
        elif token in tokens:
            wrong = "it has the token of an earlier line"
        else:
            name = rest[1] if len(rest) > 1 else f"token {len(tokens) + 1}"
            tokens[token] = Principal(name, rest[0] if rest else tier)
            continue
        raise UsageError(f"--token-file {path}: line {number} is wrong: {wrong}.")
    if not tokens:
        raise UsageError(
            f"--token-file {path}: must hold a line for each token, for example what "
            "`openssl rand -hex 32` prints; after a blank may come a tier and a name."
        )
    return tokens


class HttpFront:
    """HTTP in front of the tools; takes its port before the campaign starts."""

    def __init__(
        self,
        plugins: PluginManager,
        service: Service,
        tokens: Mapping[str, Principal],
    ) -> None:
        offered = plugins.transports.values()
        self._server = HttpServer(
            [one for one in offered if isinstance(one, HttpTransport)],
            host=service.host,
            port=service.port,
            tokens=tokens,
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
