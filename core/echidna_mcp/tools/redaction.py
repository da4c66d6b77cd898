"""Values that may be used but not recorded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from typing import Any


def redacted(value: object, names: Collection[str]) -> object:
    """Return an object with the members of some names replaced by hash and size.

    It is the same object if there is nothing to replace.

    Args:
        value: arguments or result of a call.
        names: members that may not be recorded.
    """
    if not isinstance(value, Mapping) or not any(name in value for name in names):
        return value
    return {
        key: digest_of(item) if key in names else item for key, item in value.items()
    }


def digest_of(value: Any) -> dict[str, Any]:
    """Return what is recorded instead of a value: its SHA-256 and its size in bytes.

    Text is taken as UTF-8, any other JSON value as its text.
    """
    text = value if isinstance(value, str) else json.dumps(value, default=str)
    data = text.encode("utf-8", "surrogatepass")
    return {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
