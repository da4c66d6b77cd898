"""A watch that tells which part of a program takes how long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any


class Watch:
    """Time by part; what a part calls for another part is not its own.

    Args:
        clock: returns seconds: of wall time, or of processor time.

    Attributes:
        seconds: by the name of the part.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self.seconds: Counter[str] = Counter()
        self._running: list[str] = []
        self._since = 0.0

    def enter(self, part: str) -> None:
        """Begin a part, inside of the one that runs."""
        self._settle()
        self._running.append(part)

    def leave(self) -> None:
        """End the part that began last."""
        self._settle()
        self._running.pop()

    def _settle(self) -> None:
        now = self._clock()
        if self._running:
            self.seconds[self._running[-1]] += now - self._since
        self._since = now

    def timed(self, part: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function whose time belongs to a part."""

        def call(*arguments: Any, **options: Any) -> Any:
            self.enter(part)
            try:
                return function(*arguments, **options)
            finally:
                self.leave()

        return call
