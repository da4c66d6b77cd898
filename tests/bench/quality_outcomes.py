"""What runs found, as `bench_quality` prints it: medians, the least and the most."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

NEVER = math.inf
_TIMES = (0.25, 0.5)
"""Parts of the time at which the bugs are counted, beside all of it."""
_PARTS = (("a quarter", 0.25), ("half", 0.5), ("three quarters", 0.75), ("all", 1.0))
"""Parts of the bugs that are looked for by calls."""
_FIRST = 1_000
"""Calls by which bugs are counted for the first time; then always ten times as many."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run found.

    Attributes:
        found: seconds of processor time, and the calls, at which each bug fell.
        false: names that are no bugs.
        calls: all that were made.
        seconds: of processor time.
    """

    found: Mapping[str, tuple[float, int]]
    false: Sequence[str]
    calls: int
    seconds: float

    def within(self, feasible: Collection[str], seconds: float) -> Outcome:
        """Return the same with those bugs alone that there are, and fell in time."""
        found = {
            name: fell
            for name, fell in self.found.items()
            if name in feasible and fell[0] <= seconds
        }
        return Outcome(found, self.false, self.calls, self.seconds)

    def by(self, seconds: float = NEVER, calls: float = NEVER) -> int:
        """Return how many bugs had fallen then."""
        return sum(at <= seconds and made <= calls for at, made in self.found.values())

    def calls_until(self, bugs: int) -> float:
        """Return the calls after which so many bugs had fallen, or NEVER."""
        falls = sorted(calls for _, calls in self.found.values())
        return falls[bugs - 1] if bugs <= len(falls) else NEVER


def spread(values: Sequence[float], form: Callable[[float], str]) -> str:
    """Return the median with the least and the most."""
    middle, least, most = statistics.median(values), min(values), max(values)
    if least == NEVER:
        return "never"
    said = ("never" if each == NEVER else form(each) for each in (middle, least, most))
    return "{} ({}-{})".format(*said)


def _whole(value: float) -> str:
    return f"{value:,.0f}"


def _count(value: float) -> str:
    return f"{value:g}"


def _tenths(value: float) -> str:
    return f"{value:.1f}"


def told(
    name: str,
    label: str,
    feasible: Collection[str],
    outcomes: Sequence[Outcome],
    seconds: float,
) -> str:
    """Return the lines about the runs of a case, one for each seed.

    Args:
        feasible: names of the bugs that there are.
        seconds: the time that each run had; what fell after it does not count.
    """
    runs = [each.within(feasible, seconds) for each in outcomes]
    if len(feasible) == 1:
        lines = ["; ".join(_one_bug(runs))]
    else:
        lines = ["; ".join(_by_time(len(feasible), runs, seconds))]
        lines += _by_calls(len(feasible), runs) if feasible else []
    lines[0] += f"; calls {spread([each.calls for each in runs], _whole)}"
    lines[0] += f"; {spread([each.seconds for each in runs], _tenths)} s spent"
    false = sorted({name for each in runs for name in each.false})
    if false:
        lines.append(f"FALSE: {', '.join(false)}")
    heads = [f"{name:17} {label:12}", *[" " * 30] * (len(lines) - 1)]
    return "\n".join(f"{head} {line}" for head, line in zip(heads, lines, strict=True))


def _one_bug(runs: Sequence[Outcome]) -> Iterator[str]:
    at = [fell for each in runs for fell in each.found.values()]
    yield f"found with {len(at)} of {len(runs)} seeds"
    if at:
        times, calls = zip(*at, strict=True)
        yield f"after {spread(times, _tenths)} s"
        yield f"after {spread(calls, _whole)} calls"


def _by_time(whole: int, runs: Sequence[Outcome], seconds: float) -> Iterator[str]:
    yield f"{spread([each.by() for each in runs], _count)} of {whole}"
    for part in _TIMES:
        counts = [each.by(part * seconds) for each in runs]
        yield f"at {part:.0%} of the time {spread(counts, _count)}"


def _by_calls(whole: int, runs: Sequence[Outcome]) -> Iterator[str]:
    parts = []
    for part, share in _PARTS:
        until = [each.calls_until(math.ceil(share * whole)) for each in runs]
        parts.append(f"{part} {spread(until, _whole)}")
    yield f"calls until {', '.join(parts)} of the bugs"
    parts = []
    for power in count():
        calls = _FIRST * 10**power
        # Of more calls than a run has made it says nothing.
        if calls > min(each.calls for each in runs):
            break
        counts = [each.by(calls=calls) for each in runs]
        parts.append(f"{calls:,}: {spread(counts, _count)}")
    if parts:
        yield f"bugs by calls {', '.join(parts)}"
