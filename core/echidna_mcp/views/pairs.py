"""Pairs of sequences of which one goes on from where the other ends."""

from __future__ import annotations

from bisect import bisect_left, insort


class Pairs:
    """Pairs of sequences that have not too many calls together, each once, in order.

    They are ordered by the greater of their two numbers, so that a new sequence is
    paired with all. Of a large corpus hardly any may fit: what does not is passed over
    without being looked at.

    Args:
        most: how many calls a pair may have.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lengths: list[int] = []
        self._numbers: dict[int, list[int]] = {}
        """Of the sequences of each length, ascending."""
        self._known: list[int] = []
        """The lengths that there are, ascending."""
        self._greater = 0
        self._place = 0
        """Among the pairs of that number: first (0, n), (1, n), …, then (n, 0), …"""

    def add(self, calls: int) -> None:
        """Take note of how many calls the next sequence has."""
        if calls not in self._numbers:
            self._numbers[calls] = []
            insort(self._known, calls)
        self._numbers[calls].append(len(self._lengths))
        self._lengths.append(calls)

    def next(self) -> tuple[int, int] | None:
        """Return the next pair; None if there is none until sequences are added."""
        while (greater := self._greater) < len(self._lengths):
            behind, least = divmod(self._place, greater + 1)
            other = self._fitting(least, self._most - self._lengths[greater])
            if other is not None and other < greater:
                self._place += other - least + 1
                return (greater, other) if behind else (other, greater)
            if behind:
                self._greater, self._place = greater + 1, 0
            else:
                self._place = greater + 1
        return None

    def _fitting(self, least: int, room: int) -> int | None:
        """Return the first number from `least` on of a sequence for which is room."""
        found: int | None = None
        for calls in self._known:
            if calls > room:
                break
            numbers = self._numbers[calls]
            at = bisect_left(numbers, least)
            if at < len(numbers) and (found is None or numbers[at] < found):
                found = numbers[at]
        return found
