"""Points in time as the protocol and RFC 3339 write them, always UTC."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, TypeAlias

Now: TypeAlias = Callable[[], datetime]
"""The wall clock, aware of its zone."""

_CIRCULAR: Final = "%Y:%m:%d-%H:%M:%S"
_RFC3339: Final = "%Y-%m-%dT%H:%M:%SZ"


def utc_now() -> datetime:
    """Return the time of the wall clock."""
    return datetime.now(UTC)


def circular_time(moment: datetime) -> str:
    """Return `YYYY:MM:DD-HH:MM:SS`, the form of the protocol."""
    return moment.astimezone(UTC).strftime(_CIRCULAR)


def rfc3339(moment: datetime) -> str:
    """Return `YYYY-MM-DDTHH:MM:SSZ` (RFC 3339)."""
    return moment.astimezone(UTC).strftime(_RFC3339)


def parse_circular_time(text: str) -> datetime | None:
    """Return the moment that a timestamp of the protocol names; None if it is none."""
    try:
        return datetime.strptime(text, _CIRCULAR).replace(tzinfo=UTC)
    except ValueError:
        return None
