"""Failed calls of control tools, until they are stored (FR-010, SC-005).

The campaign process stores them. When there is none any more, the server does.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any
from uuid import uuid4

from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.store import EventStore
from echidna_mcp.server.campaign_messages import RecordRefusal
from echidna_mcp.views.command_log import CommandLog

_MOST = 1_000
"""So many are remembered while nothing can be stored: the disk is full."""


class Refusals:
    """Those that are not known to be stored, by key."""

    def __init__(self) -> None:
        self._waiting: dict[str, RecordRefusal] = {}

    def add(self, tool: str, args: Any, code: str, message: str) -> RecordRefusal:
        """Take one; return what to tell the campaign process."""
        refusal = RecordRefusal(uuid4().hex, tool, args, code, message)
        self._waiting[refusal.key] = refusal
        if len(self._waiting) > _MOST:
            del self._waiting[next(iter(self._waiting))]
        return refusal

    def waiting(self) -> list[RecordRefusal]:
        """Return what the next process must be told."""
        return list(self._waiting.values())

    def fold(self, events: Iterable[Event]) -> None:
        """Forget what is stored."""
        for event in events:
            if event.type == "CommandRefused":
                self._waiting.pop(event.payload.get("key", ""), None)

    def store(self, path: Path, number: int) -> None:
        """Store and log the rest, in a store to which nobody writes.

        Args:
            path: of the store.
            number: of its last round.

        Raises:
            EchidnaMcpError: it can't be written.
        """
        events = [
            NewEvent(type="CommandRefused", round=number, payload=each.payload)
            for each in self._waiting.values()
        ]
        if events:
            with EventStore.open(path) as store:
                store.append(events)
                CommandLog(store).catch_up()
