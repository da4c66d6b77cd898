"""One solc that can be run, and which one suits some sources."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from echidna_mcp_plugins.compilers.solidity.version_range import (
    Version,
    parse_version,
    satisfies,
)

_LAST_OF_EACH_LINE: tuple[Version, ...] = (
    *((0, 4, 26), (0, 5, 17), (0, 6, 12), (0, 7, 6)),
    (0, 8, 30),  # not the last, but old enough for every installer to know it
)


class Answer(NamedTuple):
    """What a solc says: its version (`0.8.37+commit.…`) and its JSON output."""

    version: str
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Solc:
    """A solc, wherever it comes from.

    Attributes:
        identify: returns the identity of the program; another answer to the same input
            is another identity. May take long.
        run: turns standard JSON input into output. Raises `CompilerUnavailableError` if
            it can't.
        given: whether the user named it, so that it is taken for all sources.
    """

    version: Version
    identify: Callable[[], str]
    run: Callable[[str], Answer]
    given: bool = False

    def suits(self, ranges: Iterable[str]) -> bool:
        """Whether it compiles sources that state these version ranges."""
        return self.given or all(satisfies(self.version, text) for text in ranges)


def version_text(version: Version) -> str:
    """Return `0.8.30`."""
    return ".".join(map(str, version))


def wanted(ranges: Sequence[str]) -> str:
    """Return version ranges as text for messages."""
    return " and ".join(f"`{text}`" for text in ranges) or "any version"


def version_for(ranges: Sequence[str]) -> str:
    """Return the version to install for some version ranges; `VERSION` if none is.

    The highest of those that the ranges name, and of the last ones of each line.
    """
    known = {*_LAST_OF_EACH_LINE, *_named(ranges)}
    fitting = [v for v in known if all(satisfies(v, text) for text in ranges)]
    return version_text(max(fitting)) if fitting else "VERSION"


def _named(ranges: Iterable[str]) -> Iterator[Version]:
    for text in ranges:
        for word in text.replace("-", " ").split():
            version = parse_version(word)
            if version:
                yield version


class Group(NamedTuple):
    """Entries of a project that one solc compiles."""

    solc: Solc
    entries: tuple[str, ...]


def grouped(
    ranges: dict[str, tuple[str, ...]], solcs: Sequence[Solc]
) -> tuple[list[Group], list[str]]:
    """Share entries among as few compilers as it goes.

    The compiler that suits most entries comes first, then the one that suits most of
    the others, and so on; among equals the first one.

    Args:
        ranges: the version ranges that the closure of each entry states.
        solcs: in order of preference.

    Returns:
        The groups, and the entries that no compiler suits, all in order.
    """
    groups = []
    left = list(ranges)
    while left:
        suited = [[e for e in left if solc.suits(ranges[e])] for solc in solcs]
        most = max(map(len, suited), default=0)
        if not most:
            break
        number = next(i for i, entries in enumerate(suited) if len(entries) == most)
        groups.append(Group(solcs[number], tuple(suited[number])))
        left = [entry for entry in left if entry not in set(suited[number])]
    return groups, left
