"""The types that parameters and results can have."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

TYPES: Final = ("string", "integer", "number", "boolean", "array", "object")
NUMERIC: Final = ("integer", "number")


def is_of(type_name: str, value: Any) -> bool:
    """Whether a JSON value is of a type.

    2.0 is an integer in JSON, and true is none, though Python says otherwise.
    """
    match type_name:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return is_number(value) and float(value).is_integer()
        case "number":
            return is_number(value)
        case "array":
            return isinstance(value, list)
        case _:
            return isinstance(value, Mapping)


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number, which true and false are not."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or math.isfinite(value)
