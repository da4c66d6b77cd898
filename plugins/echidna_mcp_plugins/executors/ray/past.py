"""The past of a campaign as objects that Ray hands from node to node."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from echidna_mcp.events.event import Event
from echidna_mcp_plugins.executors.ray.actor import Stretch

CHAPTER_STRETCHES = 64
"""So many rounds are joined, so that who joins late has few objects to fetch."""


class Past:
    """All relevant events: one object a round, and one for each 64 earlier rounds.

    Each event is put twice at most, however long the campaign is: a snapshot of all
    that has happened, every 64 rounds, would be put in a time that grows with it.
    """

    def __init__(self, put: Callable[[Stretch], Any]) -> None:
        """Begin with nothing.

        Args:
            put: makes an object of a stretch, and returns the reference to it.
        """
        self._put = put
        self._begins: list[int] = []
        self._references: list[Any] = []
        self._chapters = 0
        self._open: list[Event] = []
        self.length = 0
        """How many events there are."""

    def extend(self, events: Sequence[Event]) -> None:
        """Add what a round has brought; nothing is put if that is nothing."""
        if not events:
            return
        if len(self._references) - self._chapters == CHAPTER_STRETCHES:
            self._close_chapter()
        self._add(Stretch(self.length, tuple(events)))
        self._open += events
        self.length += len(events)

    def _close_chapter(self) -> None:
        """Put one object in the place of the stretches since the last chapter."""
        begin = self.length - len(self._open)
        del self._begins[self._chapters :], self._references[self._chapters :]
        self._add(Stretch(begin, tuple(self._open)))
        self._chapters += 1
        self._open = []

    def _add(self, stretch: Stretch) -> None:
        self._begins.append(stretch.begin)
        self._references.append(self._put(stretch))

    def since(self, folded: int) -> list[Any]:
        """Return references to the stretches that have what comes after so many events.

        The first may begin earlier.
        """
        if folded == self.length:
            return []
        return self._references[bisect_right(self._begins, folded) - 1 :]
