"""Which of many byte strings another one begins with, without a look at each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class Prefixes(Generic[T]):
    """Byte strings, and what belongs to each; several things may belong to one.

    Args:
        items: byte strings with what belongs to them.
    """

    def __init__(self, items: Iterable[tuple[bytes, T]]) -> None:
        found: dict[bytes, list[T]] = {}
        for prefix, item in items:
            found.setdefault(prefix, []).append(item)
        self._prefixes = sorted(found)
        self._items = [found[prefix] for prefix in self._prefixes]
        self._shorter: list[int] = []
        """The longest other one that each begins with; -1 if there is none."""
        above: list[int] = []
        for number, prefix in enumerate(self._prefixes):
            while above and not prefix.startswith(self._prefixes[above[-1]]):
                above.pop()
            self._shorter.append(above[-1] if above else -1)
            above.append(number)

    def of(self, data: bytes) -> Iterator[T]:
        """Yield what belongs to those that `data` begins with, the longest first."""
        # In order of bytes, between a string and what it begins with there are only
        # others that begin with the same.
        at = bisect_right(self._prefixes, data) - 1
        while at >= 0:
            if data.startswith(self._prefixes[at]):
                yield from self._items[at]
            at = self._shorter[at]
