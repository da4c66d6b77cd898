"""What climbing has learnt of comparisons: what is sought in vain, what has fallen."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from echidna_mcp.events.payloads import ComparisonsSolved, ComparisonsTried
from echidna_mcp.fuzz.climbing.sites import FOUND_AFTER

if TYPE_CHECKING:
    from collections.abc import Iterable

    from echidna_mcp.events.event import Event, NewEvent

CAPACITY = 2048
"""Most comparisons that are known; the first ones are kept."""
MOST_FALLEN = 1024
"""Most comparisons of which it is told that they have fallen."""


class ComparisonsView:
    """What the campaign has learnt of comparisons.

    Attributes:
        tries: by mark (`fuzz.climbing.comparisons.mark_at`), how often the other
            outcome was sought in vain since it was found last; none are 0. As the
            event has it, `FOUND_AFTER` more if it was found since.
        fallen: the marks of those that have fallen (`fuzz.climbing.fallen`).
    """

    def __init__(self) -> None:
        self.tries: dict[int, int] = {}
        self.fallen: set[int] = set()

    @property
    def fallen_room(self) -> int:
        """Of how many more it can be told that they have fallen."""
        return MOST_FALLEN - len(self.fallen)

    def apply(self, event: Event | NewEvent) -> None:
        """Fold one event."""
        if event.type == "ComparisonsTried":
            self._take_tries(cast("ComparisonsTried", event.payload))
        elif event.type == "ComparisonsSolved":
            payload = cast("ComparisonsSolved", event.payload)
            self.fallen.update(int(each["mark"], 16) for each in payload["sites"])

    def _take_tries(self, payload: ComparisonsTried) -> None:
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
