"""Limits on what clients may cost the HTTP server."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What clients may cost.

    Attributes:
        header_seconds: from the opening of a connection, or the end of an answer, to
            the end of the next headers.
        body_size: bytes of a request body.
        body_seconds: from the end of the headers to the end of the body.
        uploads: bodies that are coming in; one more ends the oldest of them.
        requests: requests that are being answered. More than there can be connections,
            of which each has one: whoever reads no answers keeps nobody else out.
        connections: open connections; more end those that wait longest for a request.
        streams: open event streams, counted apart because they stay open.
        unread_seconds: how long an answer may lie there and not be taken.
    """

    header_seconds: float = 10.0
    body_size: int = 1 << 20
    body_seconds: float = 10.0
    uploads: int = 64
    requests: int = 512
    connections: int = 384
    streams: int = 64
    unread_seconds: float = 20.0
