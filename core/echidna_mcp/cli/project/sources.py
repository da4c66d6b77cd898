"""Which files of a project a run depends on, and whether they have changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from echidna_mcp.config.project_files import BUILD_FILES, FUZZING_FILES

Snapshot: TypeAlias = Mapping[str, tuple[int, int]]
"""Time of the last change, in nanoseconds, and size in bytes, by path."""

_SOURCES: Final = (".sol", ".vy", ".vyi")
_SETTINGS: Final = frozenset((*BUILD_FILES, *FUZZING_FILES))
_PASSED_OVER: Final = frozenset(
    {
        *("node_modules", "out", "cache", "artifacts", "broadcast"),
        *("crytic-export", "echidna-corpus", "venv", "__pycache__"),
    }
)
"""Directories with what compilers make and package managers fetch."""
_MOST_ENTRIES: Final = 50_000
"""Of directories that are looked through: a target may lie in a home directory."""


def snapshot(root: Path, named: Mapping[str, Path | None]) -> Snapshot:
    """Return the state of the sources and configurations of a project.

    Args:
        root: its directory.
        named: further files that the user has named, by option; None for none.
    """
    found: dict[str, tuple[int, int]] = {}
    for path in (*_files(root), *(str(each) for each in named.values() if each)):
        try:
            status = os.stat(path)  # noqa: PTH116 - of thousands, twice a second
        except OSError:  # It was removed meanwhile, or is no name of a file.
            continue
        if not os.path.isdir(path):  # noqa: PTH112
            found[path] = status.st_mtime_ns, status.st_size
    return found


def changed(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the paths that came, went or changed, in order."""
    both = sorted({*before, *after})
    return [path for path in both if before.get(path) != after.get(path)]


def _files(root: Path) -> Iterator[str]:
    """Yield sources and configurations, without those of fetched packages."""
    left = _MOST_ENTRIES
    for place, directories, names in os.walk(root):
        left -= len(directories) + len(names)
        directories[:] = sorted(
            name
            for name in directories
            if name not in _PASSED_OVER and not name.startswith(".")
        )
        for name in names:
            if name.endswith(_SOURCES) or name in _SETTINGS:
                yield os.path.join(place, name)  # noqa: PTH118
        if left < 0:
            return
