"""Which files a compilation may read: those of the project, and what is allowed.

As with solc, a path that a source, a remapping or an artifact names counts only where
it leads, symbolic links followed, to the project, to its libraries, or below a
directory that the user has allowed (`--allow-paths`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from echidna_mcp.config.project_files import BUILD_FILES
from echidna_mcp.errors import TargetError

_SOURCE_FOLDERS = ("src", "contracts", "test", "tests", "script")
_NEIGHBOURS = ("lib", "node_modules", "package.json")
_OUTPUT_FOLDERS = ("out", "artifacts", "build", "cache", "crytic-export")


class Fence:
    """Tells what lies in a project from what does not.

    Args:
        root: directory of the project.
        allowed: further files and directories that may be read.
    """

    def __init__(self, root: Path, allowed: Iterable[Path] = ()) -> None:
        self.root = real_path(root)
        # npm's rule for packages. A link in the place of `node_modules` is no
        # declaration: it comes with the project, and can lead anywhere.
        packages = (d / "node_modules" for d in (self.root, *self.root.parents))
        self._places = (self.root, *packages, *map(real_path, allowed))

    @property
    def places(self) -> tuple[Path, ...]:
        """All that may be read; links are followed."""
        return self._places

    def holds(self, path: Path) -> bool:
        """Whether `path` leads, links followed, to something that may be read."""
        try:
            real = real_path(path)
        except ValueError:  # a NUL, or no UTF-8: there is no such file
            return False
        return any(real.is_relative_to(place) for place in self._places)

    def check(self, path: Path, named: str) -> None:
        """Refuse a path that leads outside.

        Args:
            named: the beginning of the sentence: who names the path, as it is written.

        Raises:
            TargetError: it does; the message says what would allow it.
        """
        if not self.holds(path):
            raise self.refusal(path, named)

    def refusal(self, path: Path, named: str) -> TargetError:
        """Return the error that says that `path` leads outside."""
        return refusal(real_path(path), named, self.root)


def refusal(real: Path, named: str, root: Path) -> TargetError:
    """Return the error that says that something leads out of the project in `root`."""
    place = real if real.is_dir() else real.parent
    return TargetError(
        f"{named} leads to {real}, outside the project {root}; if it may be read, give "
        f"--allow-paths {place}."
    )


def real_path(path: Path) -> Path:
    """Return the absolute path, links followed; what does not exist stays as it is.

    Raises:
        ValueError: no file can have such a name.
    """
    return Path(os.path.realpath(path))  # Path.resolve raises where links form a loop


def is_file(path: Path) -> bool:
    """Whether there is a regular file; a name that no file can have names none."""
    return os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises for long names


def marked_root(start: Path) -> Path | None:
    """Return the nearest directory from `start` upwards with a configuration file."""
    for directory in (start, *start.parents):
        if any(is_file(directory / marker) for marker in BUILD_FILES):
            return directory
    return None


def source_root(start: Path) -> Path:
    """Return the project that sources in `start` belong to.

    That is the directory with its configuration file; else what has the shape of a
    project (`src` beside `lib`); else `start` alone.
    """
    marked = marked_root(start)
    if marked is not None:
        return marked
    around = start.parent
    if start.name in _SOURCE_FOLDERS and any(
        (around / name).exists() for name in _NEIGHBOURS
    ):
        return around
    return start


def artifact_root(start: Path) -> Path:
    """Return the project whose compiled artifacts lie in `start`.

    That is the directory with its configuration file; else the one that holds the
    directory of artifacts (`out`, `artifacts`, `build`); else `start` alone.
    """
    marked = marked_root(start)
    if marked is not None:
        return marked
    for directory in (start, *start.parents):
        if directory.name in _OUTPUT_FOLDERS:
            return directory.parent
    return start
