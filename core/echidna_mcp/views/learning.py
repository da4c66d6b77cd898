"""What the tasks of a round have learnt beside what they have found, as events.

Words for the dictionary, how often outcomes of comparisons were sought in vain, and
which comparisons have fallen.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Protocol, TypeAlias, cast

from echidna_mcp.events.payloads import (
    ComparisonsSolved,
    DictionaryExtended,
    EventType,
    SolvedComparison,
)
from echidna_mcp.evm.backend import ComparisonKind
from echidna_mcp.fuzz.climbing.fallen import MOST_TOLD
from echidna_mcp.fuzz.climbing.starting import Fallen
from echidna_mcp.program.identity import keys_by_size
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp.views.comparisons import tried_by
from echidna_mcp.views.dictionary import MOST_WORDS, SMALLEST_WORD

Told: TypeAlias = tuple[EventType, Mapping[str, Any]]
"""Type and payload of an event."""
_SIZE_SHIFT = 32
"""How far the size of the code stands above the program counter in a site."""


class Learnt(Protocol):
    """What a task has learnt: the part of its result that is merged here."""

    @property
    def words(self) -> tuple[int, ...]:
        """Constants that the dictionary lacks."""

    @property
    def tried(self) -> tuple[tuple[int, int], ...]:
        """Marks of comparisons, and how often they were sought in vain."""

    @property
    def fallen(self) -> tuple[Fallen, ...]:
        """Comparisons that have fallen."""


class Learning:
    """Merges what the tasks of each round have learnt."""

    def __init__(self, views: CampaignViews) -> None:
        self._views = views
        self._keys = keys_by_size(views.target.program)

    def of_round(self, results: Sequence[Learnt]) -> list[Told]:
        """Return the events of a round.

        Args:
            results: of its tasks, in the order of their workers. The code that they
                have covered is in the views.
        """
        fallen = self._fallen(results)
        found: list[Told] = []
        if words := self._words(results, fallen):
            extended: DictionaryExtended = {"words": [f"0x{word:x}" for word in words]}
            found.append(("DictionaryExtended", extended))
        if (tried := tried_by(result.tried for result in results))["marks"]:
            found.append(("ComparisonsTried", tried))
        if any(fallen):
            sites = [self._told(each) for of_task in fallen for each in of_task]
            solved: ComparisonsSolved = {"sites": sites}
            found.append(("ComparisonsSolved", solved))
        return found

    def _fallen(self, results: Sequence[Learnt]) -> list[list[Fallen]]:
        """Return what has fallen of which that is news, by task.

        Of two tasks that tell the same the first one has found it. What there is no
        room for falls again in another round.
        """
        known = set(self._views.comparisons.fallen)
        room = min(MOST_TOLD, self._views.comparisons.fallen_room)
        news: list[list[Fallen]] = []
        for result in results:
            news.append([])
            for each in result.fallen:
                if room and each.mark not in known:
                    known.add(each.mark)
                    news[-1].append(each)
                    room -= 1
        return news

    def _words(
        self, results: Sequence[Learnt], fallen: Sequence[Sequence[Fallen]]
    ) -> list[int]:
        """Return the words that join the dictionary."""
        found = dict.fromkeys(word for result in results for word in result.words)
        if self._views.target.config.solved_words:
            for of_task in fallen:
                found |= dict.fromkeys(islice(_solutions(of_task), MOST_WORDS))
        dictionary = self._views.dictionary
        fresh = [word for word in found if word not in dictionary]
        return fresh[: dictionary.room]

    def _told(self, fallen: Fallen) -> SolvedComparison:
        size, counter = divmod(fallen.site, 1 << _SIZE_SHIFT)
        told = {
            "mark": f"0x{fallen.mark:016x}",
            "counter": counter,
            "kind": ComparisonKind(fallen.kind).name,
            "holds": bool(fallen.holds),
            "word": f"0x{fallen.word:x}",
        }
        covers = self._views.coverage.covers
        codes = [key for key in self._keys.get(size, ()) if covers(key, counter)]
        if len(codes) == 1:
            told["code"] = codes[0]
        return cast("SolvedComparison", told)


def _solutions(fallen: Sequence[Fallen]) -> Iterator[int]:
    """Yield the words by which equations hold now.

    An inequality holds for others as well, and small numbers are generated anyway.
    """
    for each in fallen:
        is_equation = each.kind == ComparisonKind.EQUAL and each.holds
        if is_equation and each.word >= SMALLEST_WORD:
            yield each.word
