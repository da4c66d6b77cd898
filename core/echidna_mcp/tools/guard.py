"""The outermost check of arguments: are they JSON, and of a sane size?

What passes can be printed, stored and validated without surprises: schema validation
recurses and prints values, and a number of a million digits would stop it.
"""

from __future__ import annotations

import math
from typing import Any

from echidna_mcp.errors import InvalidInputError

MAX_DEPTH = 32
MAX_VALUES = 100_000
MAX_INTEGER_BITS = 4096


def check_json(value: object) -> None:
    """Refuse what is not JSON, not Unicode, or absurdly deep, big or long.

    Raises:
        InvalidInputError: says what was found; never echoes it.
    """
    pending: list[tuple[object, int]] = [(value, 0)]
    seen = 0
    while pending:
        item, depth = pending.pop()
        if isinstance(item, dict | list):
            seen += len(item)
        if seen > MAX_VALUES:
            raise _refusal("more than", f"{MAX_VALUES} values", "at most as many")
        if depth > MAX_DEPTH:
            raise _refusal("deeper than", f"{MAX_DEPTH} levels", "at most as many")
        if isinstance(item, dict):
            for key, inner in item.items():
                if not isinstance(key, str):
                    raise _refusal("an object with", "a key that is no text", "text")
                _check_scalar(key)
                pending.append((inner, depth + 1))
        elif isinstance(item, list):
            pending.extend((inner, depth + 1) for inner in item)
        else:
            _check_scalar(item)


def _check_scalar(value: Any) -> None:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise _refusal("text with", "an unpaired surrogate", "Unicode") from None
    elif isinstance(value, int):
        if value.bit_length() > MAX_INTEGER_BITS:
            limit = f"{MAX_INTEGER_BITS} bits"
            raise _refusal("an integer of more than", limit, "a smaller one")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise _refusal("a number that is", "infinite or not a number", "a number")
    elif value is not None:
        raise _refusal("a value that is", "not JSON", "JSON")


def _refusal(found: str, what: str, expected: str) -> InvalidInputError:
    return InvalidInputError(
        f"The arguments hold {found} {what}; expected {expected}.",
        path="",
        rule="json",
        expected=expected,
    )
