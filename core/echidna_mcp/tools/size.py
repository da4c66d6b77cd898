"""How much one answer may hold."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final, TypeVar

WIRE_BYTES: Final = 1_000_000
"""Official clients end the connection at an event of more than 1 MiB; the rest of it is
for the envelope."""

_Item = TypeVar("_Item")


def fitting(items: Iterable[_Item], room: int = WIRE_BYTES) -> list[_Item]:
    """Return the first items that fit into one answer; the very first always does.

    Args:
        items: JSON values.
        room: bytes on the wire, where a result stands twice: as structured content, and
            as text in which quotes and backslashes are escaped.
    """
    found: list[_Item] = []
    for item in items:
        text = json.dumps(item, ensure_ascii=False, separators=(",", ":"))
        room -= 2 * len(text.encode()) + text.count('"') + text.count("\\") + 2
        if room < 0 and found:
            break
        found.append(item)
    return found
