"""Constants worth trying: from the bytecode at first, then from observed values."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from echidna_mcp.events.payloads import DictionaryExtended

if TYPE_CHECKING:
    from collections.abc import Iterable

    from echidna_mcp.events.event import Event, NewEvent

CAPACITY = 4096
"""Most words that the dictionary holds; the first found are kept."""
MOST_WORDS = 32
"""Constants of one kind that one task may add to it."""
SMALLEST_WORD = 256
"""Smaller numbers are generated anyway."""


class DictionaryView:
    """An append-only list of distinct 256-bit words."""

    def __init__(self, words: Iterable[int]) -> None:
        self.words: list[int] = []
        self._known: set[int] = set()
        self._add(words)
        self._first = len(self.words)

    def __contains__(self, word: int) -> bool:
        return word in self._known

    @property
    def room(self) -> int:
        """How many more words fit."""
        return CAPACITY - len(self.words)

    @property
    def found(self) -> list[int]:
        """Those that execution has revealed, oldest first."""
        return self.words[self._first :]

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        if event.type == "DictionaryExtended":
            payload = cast("DictionaryExtended", event.payload)
            self._add(int(word, 16) for word in payload["words"])

    def _add(self, words: Iterable[int]) -> None:
        for word in words:
            if word not in self._known and self.room > 0:
                self._known.add(word)
                self.words.append(word)
