"""The envelope of every stored fact.

Payloads are described by `contracts/events/*.json`; their generated types are in
`echidna_mcp.events.payloads`. The wall-clock time `at` and the chain `digest` are
outside every decision and outside the state digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from echidna_mcp.events.payloads import EventType


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """A fact that is not stored yet.

    Attributes:
        type: stable name, independent of code.
        round: the round it belongs to; 0 before the first. A `CommandAccepted` names
            the round at which the command takes effect.
        worker: logical worker, or None if it belongs to none.
        payload: JSON values as its contract document says.
        version: version of the payload format.
    """

    type: EventType
    round: int
    payload: Mapping[str, Any]
    worker: int | None = None
    version: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A stored fact.

    Attributes:
        seq: dense position in the store, from 1.
        at: UTC time of the append, ISO 8601 with microseconds and `Z`.
        digest: sha256 over the previous digest and this row.
    """

    seq: int
    type: EventType
    version: int
    round: int
    worker: int | None
    at: str
    payload: Mapping[str, Any]
    digest: bytes


def as_event(event: NewEvent) -> Event:
    """Return an event as replicas fold it; they don't look at its place in a store."""
    return Event(
        seq=0,
        type=event.type,
        version=event.version,
        round=event.round,
        worker=event.worker,
        at="",
        payload=event.payload,
        digest=b"",
    )
