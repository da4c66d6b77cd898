"""Plugin `dashboard`: the campaign as a page, in a browser and in MCP clients.

One self-contained page. The HTTP server shows it at `/`, live; an MCP client with
support for MCP Apps (SEP-1865) shows it beside the results of `show_coverage`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.transport import (
    HttpMount,
    HttpTransport,
    Transport,
    TransportOptions,
)
from echidna_mcp.plugins.hookspecs import hookimpl

if TYPE_CHECKING:
    from echidna_mcp.catalogue.catalogue import Catalogue
    from echidna_mcp.catalogue.resource import Resource

_MODULES = ("sse_starlette", "echidna_mcp_plugins.dashboard.routes")


@hookimpl
def register_resources() -> Sequence[Resource]:
    """Offer the page (hook)."""
    # Imported when they are asked for: only a server needs them.
    from echidna_mcp_plugins.dashboard.resources import (  # noqa: PLC0415
        dashboard_resources,
    )

    return dashboard_resources()


@hookimpl
def register_transports() -> Sequence[Transport]:
    """Offer the dashboard (hook)."""
    return (
        HttpTransport(
            name="dashboard",
            path="/",
            mount=mount,
            title="Dashboard",
            modules=_MODULES,
        ),
    )


def mount(catalogue: Catalogue, _options: TransportOptions) -> HttpMount:
    """Return the routes of the dashboard."""
    from echidna_mcp_plugins.dashboard.routes import (  # noqa: PLC0415 (slow import)
        dashboard_mount,
    )

    return dashboard_mount(catalogue)
