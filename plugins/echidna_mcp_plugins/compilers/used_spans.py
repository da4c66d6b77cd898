"""Which parts of the source a contract was compiled from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from echidna_mcp.program.model import Span
from echidna_mcp.program.sourcemap import MapEntry


class UsedSpans:
    """The source ranges that the code of a contract was compiled from."""

    def __init__(self, *maps: Iterable[MapEntry]) -> None:
        self.spans = frozenset(
            Span(entry.file, entry.start, entry.length)
            for entries in maps
            for entry in entries
        )
        self._places = sorted((span.file, span.start) for span in self.spans)

    def any_within(self, span: Span) -> bool:
        """Whether any of them starts inside `span`."""
        at = bisect_left(self._places, (span.file, span.start))
        end = (span.file, span.start + span.length)
        return at < len(self._places) and self._places[at] < end
