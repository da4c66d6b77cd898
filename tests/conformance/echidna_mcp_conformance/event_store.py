"""Messages of event streams, kept so that a client that lost one can go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.server.streamable_http import EventMessage, EventStore

if TYPE_CHECKING:
    from mcp.server.streamable_http import EventCallback, EventId, StreamId
    from mcp.types import JSONRPCMessage


class RememberedEvents(EventStore):
    """All messages of all streams. Ids are their numbers, from 1."""

    def __init__(self) -> None:
        self._events: list[tuple[StreamId, JSONRPCMessage | None]] = []

    async def store_event(
        self, stream_id: StreamId, message: JSONRPCMessage | None
    ) -> EventId:
        """Keep a message and return its id."""
        self._events.append((stream_id, message))
        return str(len(self._events))

    async def replay_events_after(
        self, last_event_id: EventId, send_callback: EventCallback
    ) -> StreamId | None:
        """Send again what came after a message on its stream; return the stream."""
        last = int(last_event_id) if last_event_id.isdecimal() else 0
        if not 1 <= last <= len(self._events):
            return None
        stream, _ = self._events[last - 1]
        for number, (of, message) in enumerate(self._events[last:], last + 1):
            if of == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream
