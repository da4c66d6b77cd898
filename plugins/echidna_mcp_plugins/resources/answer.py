"""Answers to readers of resources."""

from __future__ import annotations

import json
from typing import Any, Final

from echidna_mcp.errors import ResourceNotFoundError
from echidna_mcp.numbers import exact
from echidna_mcp.tools.display import clean, shown

JSON: Final = "application/json"
ROOT: Final = "echidna://campaign"


def as_json(value: Any) -> str:
    """Return JSON as it is sent."""
    return json.dumps(exact(value), ensure_ascii=False, separators=(",", ":"))


def number(text: str, below: int, what: str) -> int:
    """Return a number that stands in a URI.

    Raises:
        ResourceNotFoundError: it is none, or too large.
    """
    if text.isascii() and text.isdecimal() and len(text) < 10 and int(text) < below:
        return int(text)
    many = f"they are numbered from 0 to {below - 1}" if below else "there are none yet"
    raise ResourceNotFoundError(
        f"There is no {what} {shown(text)}; {many}.", given=clean(text)
    )
