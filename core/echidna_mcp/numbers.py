"""Integers as they leave the program in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

LARGEST: Final = 2**53 - 1
"""The largest integer that every reader of JSON takes for what it is (RFC 8259, 6)."""


def exact(value: Any) -> Any:
    """Return a JSON value in which integers beyond ±`LARGEST` are decimal strings."""
    if isinstance(value, int):
        return value if -LARGEST <= value <= LARGEST else str(value)
    if isinstance(value, Mapping):
        return {name: exact(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [exact(each) for each in value]
    return value
