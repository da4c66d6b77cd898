"""The page as a resource (MCP Apps), and the events of one type, which it filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, get_args

from echidna_mcp.catalogue.resource import Resource, Variables
from echidna_mcp.errors import ResourceNotFoundError
from echidna_mcp.events.event import Event, EventType
from echidna_mcp.tools.display import clean, listed, shown
from echidna_mcp.tools.size import fitting
from echidna_mcp_plugins.dashboard.page import read_page
from echidna_mcp_plugins.resources.answer import JSON, ROOT, as_json

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
_EVENTS: Final = 100
_TYPES: Final[Sequence[EventType]] = tuple(sorted(get_args(EventType)))


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
        Resource(
            name="events-of-type",
            uri=f"{ROOT}/events/{{type}}",
            title="Events of one type",
            description=f"The newest {_EVENTS} events of one type, the newest first, "
            "however long ago they were.",
            mime_type=JSON,
            read=_read_events,
            touched=_touched,
            values={"type": lambda _context: _TYPES},
        ),
    )


async def _read_page(_values: Variables, _context: ToolContext) -> str:
    return read_page().html


async def _read_events(values: Variables, context: ToolContext) -> str:
    wanted = values["type"]
    if wanted not in _TYPES:
        raise ResourceNotFoundError(
            f"There is no event type {shown(wanted)}; there are {listed(_TYPES)}.",
            type=clean(wanted),
        )
    events = fitting(context.logs.entries(_EVENTS, wanted))
    return as_json({"events": events, "type": wanted})


def _touched(event: Event) -> Iterable[Variables]:
    yield {"type": event.type}
