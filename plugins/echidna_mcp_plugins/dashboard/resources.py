"""The page as a resource (MCP Apps)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.catalogue.resource import Resource, Variables
from echidna_mcp_plugins.dashboard.page import read_page

if TYPE_CHECKING:
    from echidna_mcp.tools.tool import ToolContext

PAGE_URI: Final = "ui://echidna/campaign.html"
PAGE_TYPE: Final = "text/html;profile=mcp-app"

_META: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "ui": {
            # No domain of any kind: the page asks the client for all it shows.
            "csp": {
                "connectDomains": [],
                "resourceDomains": [],
                "frameDomains": [],
                "baseUriDomains": [],
            },
            "permissions": {"clipboardWrite": {}},
            "prefersBorder": True,
        }
    }
)


def dashboard_resources() -> Sequence[Resource]:
    """Return them."""
    return (
        Resource(
            name="campaign-view",
            uri=PAGE_URI,
            title="Campaign view",
            description="The campaign as an interactive page: coverage on the source, "
            "tests with their reproducers, corpus, events.",
            mime_type=PAGE_TYPE,
            read=_read_page,
            views=("show_coverage",),
            meta=_META,
        ),
    )


async def _read_page(_values: Variables, _context: ToolContext) -> str:
    return read_page().html
