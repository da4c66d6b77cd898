"""Specifications of stored facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSpec:
    """The contract document of an event type.

    Attributes:
        type: stable name, independent of code.
        version: version of the payload format.
        description: when it is stored.
        payload_schema: draft-07 schema of the payload, self-contained.
        examples: valid payloads.
    """

    type: str
    version: int
    description: str
    payload_schema: Mapping[str, Any]
    examples: tuple[Mapping[str, Any], ...]
