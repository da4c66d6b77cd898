"""The sequences of the corpus from which new ones may go on: each stands once or more.

What has only shown new states (`evm.states`) is a step on a way, and the last steps
lead on: of the sequences of a storage word the newest few stand, and others *retire*.
A number that anybody sets has a hundred states; without this the one that sets a flag
is lost among them. A sequence of several words retires when it has for all of them.
What has shown new code, or has come nearer to an outcome, never does.

The corpus itself, which users see and which is inherited, keeps all of them.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable
from typing import Final, TypeAlias

from echidna_mcp.events.payloads import CoverageIncreased
from echidna_mcp.evm.states import words_of
from echidna_mcp.fuzz.records import call_function
from echidna_mcp.kernel.language.memory import Words, words
from echidna_mcp.views.coverage import is_more_than_states

OF_WORD: Final = 8
"""So many sequences of a storage word stand."""

Word: TypeAlias = tuple[str, int]
"""Of storage: the key of its account's code, and its number, or that of two words."""


class CorpusEntries:
    """Where the standing sequences are in the corpus.

    Attributes:
        spans: start and end of each, oldest first; one that stands several times is
            there as often.
    """

    def __init__(self) -> None:
        self.spans = words([])
        self._standing = _Standing()
        self._without = _Without(frozenset())

    def add(self, start: int, end: int, times: int, steps: Iterable[Word]) -> None:
        """Add a sequence.

        Args:
            start: where it begins in the corpus; behind all others.
            end: where it ends.
            times: how many times it stands.
            steps: see `steps_of`; one without any stays.
        """
        self.spans.extend((start, end) * times)
        for retired in self._standing.add(start, steps):
            at = place_of(self.spans, retired)
            del self.spans[at : at + 2]
            self._without.forget(at, retired)

    def without(self, functions: frozenset[int], corpus: bytearray) -> Words:
        """Return `spans` without the sequences that begin with one of some functions.

        Tasks leave out the same ones for many rounds, so what was looked at stays.
        """
        if not functions:
            return self.spans
        if functions != self._without.functions:
            self._without = _Without(functions)
        return self._without.of(corpus, self.spans)


class _Standing:
    """Which sequences retire."""

    def __init__(self) -> None:
        self._newest: dict[Word, deque[int]] = {}
        self._steps: dict[int, int] = {}
        """For how many words a sequence, by its start, is one of the newest."""

    def add(self, start: int, steps: Iterable[Word]) -> list[int]:
        """Add the steps of a sequence; return the starts of those that retire."""
        retired = []
        for word in dict.fromkeys(steps):
            newest = self._newest.setdefault(word, deque())
            newest.append(start)
            self._steps[start] = self._steps.get(start, 0) + 1
            if len(newest) > OF_WORD:
                oldest = newest.popleft()
                self._steps[oldest] -= 1
                if self._steps[oldest] == 0:
                    del self._steps[oldest]
                    retired.append(oldest)
        return retired


class _Without:
    """The standing sequences that do not begin with some functions.

    Attributes:
        functions: indices of those.
    """

    def __init__(self, functions: frozenset[int]) -> None:
        self.functions = functions
        self._looked_at = 0
        """How many words of all spans were looked at."""
        self._spans = words([])

    def of(self, corpus: bytearray, spans: Words) -> Words:
        """Return start and end of those; `spans` is as before, or longer."""
        for at in range(self._looked_at, len(spans), 2):
            if call_function(corpus, spans[at]) not in self.functions:
                self._spans.extend(spans[at : at + 2])
        self._looked_at = len(spans)
        return self._spans

    def forget(self, at: int, start: int) -> None:
        """Take out a sequence by its start, which was at `at` of all spans."""
        if at >= self._looked_at:
            return
        self._looked_at -= 2
        found = place_of(self._spans, start)
        if found < len(self._spans) and self._spans[found] == start:
            del self._spans[found : found + 2]


def place_of(spans: Words, start: int) -> int:
    """Return where in `spans` the sequence is, or would be, that begins at `start`."""
    return 2 * bisect_left(range(len(spans) // 2), start, key=lambda n: spans[2 * n])


def steps_of(news: CoverageIncreased) -> list[Word]:
    """Return the storage words of which a sequence is a step, by what is new about it.

    There are none if more is new than states.
    """
    if is_more_than_states(news):
        return []
    return [(key, words_of(slot)) for key, slot, _ in news.get("states", ())]
