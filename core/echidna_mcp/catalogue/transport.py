"""The transport seam: the ways in which a client reaches the catalogue.

A transport is a descriptor that a plugin returns from `register_transports`. There are
two families: a transport over HTTP contributes routes to the one HTTP server, a
transport over standard streams serves a single client until that client leaves.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from echidna_mcp.tools.principal import LOCAL, Principal

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

    from echidna_mcp.catalogue.catalogue import Catalogue


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportOptions:
    """What clients of a kind may need, and others do better without.

    Attributes:
        legacy_sessions: give sessions to clients of revisions before 2026-07-28 over
            Streamable HTTP. Without, a client whose server was restarted goes on as if
            nothing had happened, but can't subscribe to resources.
        declare_dialect: send `$schema` with the schemas of the tools.
        principal: who calls, where no token says it.
    """

    legacy_sessions: bool = False
    declare_dialect: bool = False
    principal: Principal = LOCAL


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpMount:
    """What an HTTP transport adds to the server; made anew for each start.

    Attributes:
        routes: Starlette routes. They run behind the guard, so they may rely on a
            trusted Host and Origin, a valid token and a bounded, complete body.
        lifespan: entered once before the first request, left after the last one.
        closing: called when the server begins to stop: answers that last are to end.
        public: paths that need no token, because nothing of the campaign is there.
    """

    routes: Sequence[BaseRoute]
    lifespan: Callable[[], AbstractAsyncContextManager[None]] = nullcontext
    closing: Callable[[], None] | None = None
    public: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpTransport:
    """A transport that lives in the HTTP server.

    Attributes:
        name: as in `--transport` and in the list of plugins.
        path: where a client connects, such as `/mcp`.
        mount: builds routes that serve the given catalogue.
        title: what people read, if it is a page for them and not for MCP clients.
        modules: what `mount` imports, if that takes long. The server imports it while
            the campaign starts.
    """

    family: ClassVar[Literal["http"]] = "http"

    name: str
    path: str
    mount: Callable[[Catalogue, TransportOptions], HttpMount]
    title: str = ""
    modules: Sequence[str] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StdioTransport:
    """A transport over the standard streams of this process.

    Attributes:
        name: as in `--transport` and in the list of plugins.
        serve: serves one client and returns when it closes our standard input. While
            it runs, standard output belongs to the protocol.
        modules: what `serve` imports, as for `HttpTransport`.
    """

    family: ClassVar[Literal["stdio"]] = "stdio"

    name: str
    serve: Callable[[Catalogue, TransportOptions], Awaitable[None]]
    modules: Sequence[str] = ()


Transport: TypeAlias = HttpTransport | StdioTransport
