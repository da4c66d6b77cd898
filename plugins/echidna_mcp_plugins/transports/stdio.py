"""Plugin `stdio`: MCP over the standard streams, for a client that started us."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.transport import (
    StdioTransport,
    Transport,
    TransportOptions,
)
from echidna_mcp.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from echidna_mcp.catalogue.catalogue import Catalogue

_log = logging.getLogger(__name__)

_MODULES = ("mcp.server.stdio", "echidna_mcp_plugins.transports.mcp_server")


@hookimpl
def register_transports() -> Sequence[Transport]:
    """Offer stdio (hook)."""
    return (StdioTransport(name="stdio", serve=serve, modules=_MODULES),)


async def serve(catalogue: Catalogue, options: TransportOptions) -> None:
    """Serve a catalogue to the one client that started us, until it leaves."""
    # The SDK takes more than a second to import, so nothing else may import it early.
    from anyio import BrokenResourceError  # noqa: PLC0415
    from mcp.server.stdio import stdio_server  # noqa: PLC0415

    from echidna_mcp_plugins.transports.mcp_server import mcp_server  # noqa: PLC0415
    from echidna_mcp_plugins.transports.stdin import claim_stdin  # noqa: PLC0415

    server = mcp_server(catalogue, options, connected=True)
    try:
        # While serving, the SDK points file descriptor 1 at standard error: nothing
        # but the protocol reaches the client, whoever prints.
        with claim_stdin() as lines:
            async with stdio_server(stdin=lines) as (reader, writer):
                start = server.create_initialization_options()
                await server.run(reader, writer, start)
    except* BrokenPipeError:
        _log.info("The client left without a word")
    except* BrokenResourceError:
        # So the SDK ends when it is stopped while it passes a message on.
        _log.info("The server was stopped in the middle of a message")
