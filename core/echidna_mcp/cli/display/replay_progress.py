"""How far a replay is: a line that changes on a terminal, else one now and then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TextIO

from echidna_mcp.cli.display.status import Clock
from echidna_mcp.wording import counted

REFRESH_SECONDS: Final = 0.5
"""Least time between two pictures of the line on a terminal."""
SPARSE_SECONDS: Final = 10.0
"""Least time between two lines where nobody watches; a short replay prints none."""


class ReplayProgress:
    """Tells of rounds that were equal, the rate, and the time that is left.

    Rounds are of very different length, so time is reckoned by their calls.

    Args:
        calls: of each round that is to be replayed.
        stream: where to tell it.
        clock: seconds from any moment on.
    """

    def __init__(self, calls: Mapping[int, int], stream: TextIO, clock: Clock) -> None:
        self._calls = calls
        self._total = sum(calls.values())
        self._stream = stream
        self._clock = clock
        self._live = stream.isatty()
        self._begin = self._told = clock()
        self._width = 0
        self._done_calls = 0
        self.rounds = 0
        """How many were equal so far."""

    def __call__(self, number: int) -> None:
        """Take in that a round was equal."""
        self.rounds += 1
        self._done_calls += self._calls[number]
        now = self._clock()
        if now - self._told >= (REFRESH_SECONDS if self._live else SPARSE_SECONDS):
            self._told = now
            self._tell(self._text(now - self._begin))

    def close(self) -> None:
        """Take the line away, if there is one."""
        if self._width:
            self._stream.write(f"\r{' ' * self._width}\r")
            self._stream.flush()
            self._width = 0

    def _text(self, seconds: float) -> str:
        rate = self._done_calls / max(seconds, 0.001)
        text = (
            f"Replayed {self.rounds} of {counted(len(self._calls), 'round')}, "
            f"{rate:,.0f} calls/s"
        )
        if rate == 0:
            return text
        left = round((self._total - self._done_calls) / rate)
        return f"{text}, {_duration(left)} left"

    def _tell(self, text: str) -> None:
        if self._live:
            self._stream.write(f"\r{text:<{self._width}}")
            self._width = len(text)
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()


def _duration(seconds: int) -> str:
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
