"""Comparisons whose other outcome was sought in vain while climbing, and how often."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from echidna_mcp.events.payloads import ComparisonsTried
from echidna_mcp.fuzz.climbing.sites import FOUND_AFTER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from echidna_mcp.events.event import Event, NewEvent

CAPACITY = 2048
"""Most comparisons that are known; the first ones are kept."""


class ComparisonsView:
    """What the campaign has learnt of comparisons.

    Attributes:
        tries: by mark (`fuzz.climbing.comparisons.mark_at`), how often the other
            outcome was sought in vain since it was found last; none are 0. As the
            event has it, `FOUND_AFTER` more if it was found since.
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
        workers: marks and tries of each (`fuzz.climbing.starting.learnt`); what one has
            found, all can find.
    """
    found: dict[int, int] = {}
    for tried in workers:
        for mark, tries in tried:
            found[mark] = _together(found.get(mark, tries), tries)
    marks = sorted(found)
    return {
        "marks": [f"0x{mark:016x}" for mark in marks],
        "tries": [found[mark] for mark in marks],
    }


def _together(one: int, other: int) -> int:
    """Return how often a comparison was tried, as two workers tell it."""
    if one >= FOUND_AFTER and other >= FOUND_AFTER:
        return min(one, other)
    return max(one, other) if one and other else 0
