"""Untrusted values as short text and as JSON that can always be sent."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

LIMIT = 200
_MAX_ITEMS = 50
_MAX_DEPTH = 6
_MAX_BITS = 4096


def clean(text: str, limit: int = LIMIT) -> str:
    """Return text without unpaired surrogates, at most `limit` characters long."""
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return text.encode("utf-8", "replace").decode("utf-8")


def shown(value: object) -> str:
    """Return a JSON value as it may be echoed in a message, at most `LIMIT` long."""
    if isinstance(value, str):
        return clean(json.dumps(clean(value), ensure_ascii=False))
    if isinstance(value, Mapping):
        return f"an object with {len(value)} members" if value else "an empty object"
    if isinstance(value, list | tuple):
        return f"an array of {len(value)} items" if value else "an empty array"
    return clean(json.dumps(sendable(value)))


def sendable(value: object, depth: int = 0) -> Any:
    """Return the nearest value that any JSON encoder takes, bounded in size.

    Text is cut at `LIMIT` characters, containers at 50 items and 6 levels; numbers
    that JSON can't hold and foreign objects become text.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return _scalar(value)
    if depth >= _MAX_DEPTH:
        return "…"
    if isinstance(value, Mapping):
        pairs = list(value.items())[:_MAX_ITEMS]
        return {clean(str(key)): sendable(item, depth + 1) for key, item in pairs}
    if isinstance(value, list | tuple):
        return [sendable(item, depth + 1) for item in value[:_MAX_ITEMS]]
    return f"a value of type {type(value).__name__}"


def _scalar(value: bool | float | str | None) -> bool | float | str | None:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value
