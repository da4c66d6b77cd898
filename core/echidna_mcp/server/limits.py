"""What one client may cost the HTTP server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one client may cost.

    Attributes:
        header_seconds: from the opening of a connection, or the end of an answer, to
            the end of the next headers.
        body_size: bytes of a request body.
        body_seconds: from the end of the headers to the end of the body.
        requests: requests with a body in flight.
        streams: open event streams, counted apart because they stay open.
        unread_seconds: how long an answer may lie there and not be taken.
    """

    header_seconds: float = 10.0
    body_size: int = 1 << 20
    body_seconds: float = 10.0
    requests: int = 256
    streams: int = 64
    unread_seconds: float = 20.0
