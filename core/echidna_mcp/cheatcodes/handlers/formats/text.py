"""Strings of contracts: any bytes, which Foundry takes for UTF-8."""

from __future__ import annotations

import json
from typing import Final

from echidna_mcp.cheatcodes.errors import CheatError

MOST_TEXT: Final = 1 << 24
"""Bytes of a text that a cheatcode may make. A few calls could ask for any number."""


def read(data: bytes) -> str:
    """Return a string of a contract; what is not UTF-8 is replaced, as Foundry does."""
    return data.decode("utf-8", "replace")


def quoted(text: str) -> str:
    """Return a text as messages quote it."""
    return json.dumps(text, ensure_ascii=False)


def check_size(size: int) -> None:
    """Refuse to make a text of more bytes than anything could use.

    Raises:
        CheatError: it is longer than `MOST_TEXT`.
    """
    if size > MOST_TEXT:
        raise CheatError(f"the result would have {size} bytes, more than {MOST_TEXT}")
