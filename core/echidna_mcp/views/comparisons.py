"""Comparisons whose other outcome was sought in vain while climbing, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from echidna_mcp.events.payloads import ComparisonsTried

if TYPE_CHECKING:
    from collections.abc import Iterable

    from echidna_mcp.events.event import Event, NewEvent

CAPACITY = 2048
"""Most comparisons that are known; the first ones are kept."""


class ComparisonsView:
    """What the campaign has learnt of comparisons.

    Attributes:
        tries: by mark (`fuzz.climbing.comparisons.mark_at`), how often the other
            outcome was sought in vain since it was found last; none are 0.
    """

    def __init__(self) -> None:
        self.tries: dict[int, int] = {}

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        if event.type != "ComparisonsTried":
            return
        payload = cast("ComparisonsTried", event.payload)
        for text, tries in zip(payload["marks"], payload["tries"], strict=True):
            mark = int(text, 16)
            if tries == 0:
                self.tries.pop(mark, None)
            elif mark in self.tries or len(self.tries) < CAPACITY:
                self.tries[mark] = tries


def tried_by(workers: Iterable[Iterable[tuple[int, int]]]) -> ComparisonsTried:
    """Return what the workers of a round have learnt together.

    Args:
        workers: marks and tries of each; what one has found, all can find.
    """
    found: dict[int, int] = {}
    for tried in workers:
        for mark, tries in tried:
            known = found.get(mark, tries)
            found[mark] = max(known, tries) if known and tries else 0
    marks = sorted(found)
    return {
        "marks": [f"0x{mark:016x}" for mark in marks],
        "tries": [found[mark] for mark in marks],
    }
