"""How much one answer may hold.

Clients refuse answers of more than 25,000 tokens or put them aside where models don't
see them, and official clients end the connection at an event of more than 1 MiB.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from echidna_mcp.tools.display import sendable

ANSWER_BYTES: Final = 40_000
"""Bytes of text that stay below 25,000 tokens whatever they are.

Hexadecimal digits, the worst of what we send, are 1.7 a token: 40,000 random ones are
23,400 tokens, counted with a tokenizer that Anthropic has published. Our JSON has 2.4
bytes a token or more.
"""

SENT_BYTES: Final = 1_000_000
"""Bytes of an answer as it is sent, below 1 MiB with what stands around it."""

_Item = TypeVar("_Item")


def fitting(
    items: Iterable[_Item],
    room: int = ANSWER_BYTES,
    size: Callable[[object], int] | None = None,
) -> list[_Item]:
    """Return the first items that fit into one answer.

    The first always does: one that is too long alone is told in short (`sendable`).

    Args:
        items: JSON values.
        room: bytes of them.
        size: how many an item takes; those of its JSON, if None.
    """
    measure = size or json_size
    found: list[_Item] = []
    for item in items:
        room -= measure(item) + 1
        if room < 0:
            if not found:
                found.append(sendable(item))
            break
        found.append(item)
    return found


def sent_size(value: object) -> int:
    """Return how many bytes a part of an answer takes on the wire.

    It is sent twice: as structured content, and as text for clients that read only
    that, in which each quotation mark is escaped.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode()) + json_size(text)


def json_size(value: object) -> int:
    """Return how many bytes a JSON value takes as it is sent."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return len(text.encode())
