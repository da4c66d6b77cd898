"""The remappings that forge makes up for folders of libraries.

Each folder of a directory of libraries is one, and so are those in a `lib` of theirs.
Its name stands for the directory that holds its sources, `src` before `contracts`
before itself.

Source: Foundry, foundry-compilers, `Remapping::find_many`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from echidna_mcp_plugins.compilers.fence import Fence

_SOURCES = ("src", "contracts")
_LIBRARIES = ("lib", "node_modules")
_NO_NAMES = ("lib/", "src/", "contracts/")
_SKIPPED = ("test", "tests", "demo")
_MOST_DEPTH = 32
_MOST_ENTRIES = 200_000
"""Directories below these, or after so many, hold no sources that anybody imports."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A directory that a library may stand for.

    Attributes:
        window: the directory of the library.
        sources: what holds its sources.
        level: how many libraries it is nested in.
    """

    window: Path
    sources: Path
    level: int


def find_remappings(directory: Path, fence: Fence) -> dict[str, Path]:
    """Return directories of sources by prefix, `name/`, for a directory of libraries.

    Links that leave the project are not followed.
    """
    search = _Search(fence)
    found: dict[str, Path] = {}
    for library in search.folders(directory):
        for each in search.candidates(library, library, 0, 0):
            name = f"{each.window.name}/"
            if name not in found or _is_better(each.sources, found[name]):
                found[name] = each.sources
    return {name: found[name] for name in sorted(found) if name not in _NO_NAMES}


def _is_better(new: Path, old: Path) -> bool:
    nearer = len(new.parts) < len(old.parts)
    return nearer or (new.name == "src" and old.name != "src")


class _Search:
    """Looks through directories, each link once."""

    def __init__(self, fence: Fence) -> None:
        self._fence = fence
        self._links: set[str] = set()
        self._seen = 0

    def folders(self, directory: Path) -> list[Path]:
        """Return the directories in one, in order of name."""
        return [path for path, is_folder in self._entries(directory) if is_folder]

    def _entries(self, directory: Path) -> Iterator[tuple[Path, bool]]:
        """Yield what is in a directory, and whether it is one itself."""
        try:
            with os.scandir(directory) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            return
        self._seen += len(entries)
        for entry in entries:
            if entry.name.startswith(".") or self._seen > _MOST_ENTRIES:
                continue
            path = Path(entry.path)
            if not entry.is_symlink() or self._may_follow(path):
                yield path, entry.is_dir()

    def _may_follow(self, link: Path) -> bool:
        real = os.path.realpath(link)
        if real in self._links or not self._fence.holds(link):
            return False
        self._links.add(real)
        return not str(link.absolute()).startswith(f"{real}/")

    def candidates(
        self, current: Path, opened: Path, level: int, depth: int
    ) -> list[_Candidate]:
        """Return what libraries may stand for, at or below a directory.

        Args:
            opened: the library that the directory belongs to, or its `lib`.
            level: how many of them are around it.
            depth: of the directory.
        """
        found: list[_Candidate] = []
        has_sources = False
        for path, is_folder in self._entries(current):
            if not is_folder:
                has_sources = has_sources or path.suffix == ".sol"
            elif path.name not in _SKIPPED and depth < _MOST_DEPTH:
                inner = path.name in _LIBRARIES
                within = (path, level + 1) if inner else (opened, level)
                found += self.candidates(path, *within, depth + 1)
        window = _window(opened, current)
        same = [c for c in found if (c.level, c.window) == (level, window)]
        if has_sources or len(same) > 1:
            return _merged(found, current, level, window)
        first = next((i for i, c in enumerate(found) if c.level == level), None)
        if first is not None:
            found[first] = _settled(found[first], opened, window)
        return found


def _window(opened: Path, current: Path) -> Path:
    """Return the library that a directory belongs to: what follows an opened `lib`."""
    if opened.name not in _LIBRARIES or opened == current:
        return opened
    return opened / current.relative_to(opened).parts[0]


def _merged(
    found: list[_Candidate], current: Path, level: int, window: Path
) -> list[_Candidate]:
    """Return one candidate for several of a library: its `src`, or what holds all."""
    sources = [each for each in found if each.sources.name == "src"]
    if len(sources) == 1:
        return sources
    left = [each for each in found if each.level != level]
    odd = current == window and current.name in (*_SOURCES, *_LIBRARIES)
    if not (level and odd):
        left.append(_Candidate(window, current, level))
    return left


def _settled(only: _Candidate, opened: Path, window: Path) -> _Candidate:
    """Return the one candidate of a library with the directory it stands for."""
    sources = only.sources
    far = len(sources.parts) - len(only.window.parts) > 1
    if far and "contracts" in (sources.name, *_name_before_src(sources)):
        return replace(only, sources=window)
    if sources.name in _SOURCES or sources == only.window:
        return only
    for parent in sources.parents:
        if parent == opened:
            break
        if parent.name in _SOURCES:
            return replace(only, sources=parent)
    return replace(only, sources=opened)


def _name_before_src(sources: Path) -> tuple[str, ...]:
    return (sources.parent.name,) if sources.name == "src" else ()
