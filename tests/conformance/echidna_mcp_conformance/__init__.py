"""Plugin `conformance`: what the official MCP conformance suite calls by name.

It takes the place of the plugin `http` (`--plugins default,-http,conformance`): the
same endpoint, the same server, with tools, resources and prompts added that only the
suite has a use for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.transport import HttpTransport, Transport
from echidna_mcp.plugins import hookimpl

if TYPE_CHECKING:
    from echidna_mcp.catalogue.catalogue import Catalogue
    from echidna_mcp.catalogue.transport import HttpMount, TransportOptions

_MODULES = ("echidna_mcp_conformance.server", "echidna_mcp_plugins.transports.http")


@hookimpl
def register_transports() -> Sequence[Transport]:
    """Offer Streamable HTTP with the fixtures of the suite (hook)."""
    return (
        HttpTransport(name="conformance", path="/mcp", mount=mount, modules=_MODULES),
    )


def mount(catalogue: Catalogue, options: TransportOptions) -> HttpMount:
    """Return the routes of the plugin `http`, for a server that has the fixtures."""
    # The SDK takes more than a second to import.
    from echidna_mcp_conformance.event_store import RememberedEvents  # noqa: PLC0415
    from echidna_mcp_conformance.server import conformance_server  # noqa: PLC0415
    from echidna_mcp_plugins.transports.http import mount_server  # noqa: PLC0415

    return mount_server(
        conformance_server(catalogue, options),
        sessions=options.legacy_sessions,
        events=RememberedEvents(),
        retry_milliseconds=100,
    )
