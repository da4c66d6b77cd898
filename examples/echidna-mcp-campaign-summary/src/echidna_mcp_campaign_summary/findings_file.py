"""Observer: one JSON line for each property that fails, in a file of your choice.

Set ECHIDNA_MCP_FINDINGS to the path. An observer sees committed events and can't change
a result: with or without this plugin a campaign ends in the same state.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from echidna_mcp.plugins import hookimpl

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event

FINDINGS_VARIABLE: Final = "ECHIDNA_MCP_FINDINGS"


@hookimpl
def events_committed(events: Sequence[Event]) -> None:
    """Append what was found (hook). Runs in the campaign process, after each commit."""
    path = os.environ.get(FINDINGS_VARIABLE)
    lines = [_line(event) for event in events if _is_finding(event)]
    if path and lines:
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(lines)


def _is_finding(event: Event) -> bool:
    """Whether a property was falsified, or its reproducer is as short as it gets."""
    if event.type == "ReproducerShrunk":
        return bool(event.payload["done"])
    return event.type == "PropertyFalsified"


def _line(event: Event) -> str:
    finding = {
        "at": event.at,
        "round": event.round,
        "property": event.payload["property"],
        "shrunk": event.type == "ReproducerShrunk",
        "calls": event.payload["counterexample"],
    }
    return json.dumps(finding) + "\n"
