"""JSON of files that anybody may have written."""

from __future__ import annotations

import json
from typing import Any

from echidna_mcp.corpora.model import EntryError


def read_json(text: str) -> Any:
    """Return the value of a JSON text.

    Raises:
        EntryError: it is none.
    """
    try:
        return json.loads(text)
    # A text nested too deeply, or a number of too many digits.
    except (ValueError, RecursionError):
        raise EntryError("it is no JSON") from None


def read_array(text: str) -> list[Any]:
    """Return the elements of a JSON array.

    Raises:
        EntryError: the text is none.
    """
    found = read_json(text)
    if not isinstance(found, list):
        raise EntryError("it is no JSON array of calls")
    return found
