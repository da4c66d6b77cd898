"""Progress as plain lines, for logs, pipes and CI."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TextIO

from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.event_lines import event_lines, short_time
from echidna_mcp.cli.display.status import Clock, StatusSource

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echidna_mcp.events.event import Event
    from echidna_mcp.views.campaign import CampaignViews

STATUS_SECONDS: Final = 3.0
"""Time between status lines, as in Echidna."""


class PlainReporter:
    """Writes a line for each interesting event, and a status line now and then.

    Args:
        views: the campaign; folded before its events are reported.
        stream: where lines go.
        clock: seconds from any moment on.
    """

    def __init__(self, views: CampaignViews, stream: TextIO, clock: Clock) -> None:
        self._views = views
        self._stream = stream
        self._clock = clock
        self._status = StatusSource(views, clock)
        self._last = clock()

    def events(self, events: Sequence[Event]) -> None:
        """Report what was committed."""
        for line in event_lines(events, self._views):
            self._write(f"[{line.time}] [{line.source}] {line.text}")
            for more in line.more:
                self._write(more)
        if self._clock() - self._last >= STATUS_SECONDS:
            self._last = self._clock()
            now = datetime.now(UTC).isoformat(timespec="microseconds")
            text = printable(self._status.take().text())
            self._write(f"[{short_time(now)}] [status] {text}")
        self._flush()

    def close(self) -> None:
        """Write what is left."""
        self._flush()

    def _flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def _write(self, line: str) -> None:
        # What a stream can't take must not end a campaign, be it a letter or a byte.
        encoding = getattr(self._stream, "encoding", None) or "utf-8"
        with suppress(OSError):
            self._stream.write(
                line.encode(encoding, "backslashreplace").decode(encoding) + "\n"
            )
