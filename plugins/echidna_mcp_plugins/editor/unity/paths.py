"""Files of a project, and nothing outside of it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from echidna_mcp_plugins.editor.unity.errors import UnityProjectError

MOST_BYTES: Final = 32 << 20
"""Bytes of a file that is read. Larger scenes hold meshes, or are not meant to be."""

_MOST_PATH: Final = 1024
# Other separators and drives, control characters, halves of characters.
_FORBIDDEN: Final = re.compile("[\\\\:\0-\x1f\x7f\ud800-\udfff]")
# A symbolic link that took the place of a file, or a pipe, must not be opened.
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_BINARY", 0)
)


class Stamp(NamedTuple):
    """What tells one state of a file from another: modification time in ns, bytes."""

    mtime_ns: int
    size: int


class ProjectFiles:
    """Reads files of one project by their path from its root, with slashes.

    Args:
        root: the folder with `Assets` and `ProjectSettings/ProjectVersion.txt`.

    Raises:
        UnityProjectError: there is no such project.
    """

    def __init__(self, root: Path) -> None:
        self.root = Path(os.path.realpath(root))
        if not (
            (self.root / "Assets").is_dir()
            and (self.root / "ProjectSettings" / "ProjectVersion.txt").is_file()
        ):
            raise UnityProjectError(
                "not_found",
                f"{root} is no Unity project; give the folder that holds Assets and "
                "ProjectSettings/ProjectVersion.txt.",
            )

    def find(self, path: str, suffix: str, what: str) -> str:
        """Return the path of an asset that a caller named, in its plain form.

        Args:
            suffix: how its name must end, `.unity`.
            what: what it is, for messages: `scene`.

        Raises:
            UnityProjectError: it is no path inside the project, or no such file.
        """
        parts = path.split("/")
        if (
            not path
            or len(path) > _MOST_PATH
            or any(part in {"", ".", ".."} for part in parts)
            or _FORBIDDEN.search(path)
        ):
            raise UnityProjectError(
                "validation",
                f"{path[:80]!r} is no path of a {what}; write it from the project's "
                f"root with slashes, such as 'Assets/Main{suffix}'.",
            )
        if not path.endswith(suffix):
            raise UnityProjectError(
                "validation",
                f"{path!r} is no {what}; the name of a {what} ends in {suffix}.",
            )
        if not os.path.isfile(self._inside(path)):  # noqa: PTH113 - any name may be asked
            raise UnityProjectError(
                "not_found",
                f"The project has no {what} {path!r}; list its {what}s to see their "
                "paths.",
            )
        return path

    def stamp(self, path: str) -> Stamp:
        """Return the state of a file.

        Raises:
            UnityProjectError: it does not exist, or leads out of the project.
        """
        try:
            found = self._inside(path).stat()
        except OSError as error:
            raise _unreadable(path, error) from error
        return Stamp(found.st_mtime_ns, found.st_size)

    def read(self, path: str, most: int = MOST_BYTES) -> bytes:
        """Return what a regular file holds.

        Args:
            most: bytes that it may have.

        Raises:
            UnityProjectError: it can't be read, is larger, or leads out of the project.
        """
        content = _read(self._inside(path), path, most + 1)
        if len(content) > most:
            raise UnityProjectError(
                "unity",
                f"{path} is larger than {most >> 20} MiB, the most that is read; "
                "move what makes it large into assets of their own.",
            )
        return content

    def beginning(self, path: str, most: int) -> bytes:
        """Return up to so many bytes of a file that `walk` has found.

        Raises:
            UnityProjectError: it can't be read any more.
        """
        # The walk follows no links, so it has not left the project.
        return _read(self.root / path, path, most)

    def walk(self, folder: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield the regular files below a folder: path, entry; unordered.

        As in Unity's import, files and folders are passed over whose names begin with a
        dot or end in a tilde, or are `cvs`. Symbolic links are not followed, and a
        folder that is one itself is empty if it leads out of the project.
        """
        try:
            self._inside(folder)
        except UnityProjectError:
            return
        waiting = [folder]
        while waiting:
            place = waiting.pop()
            try:
                entries = [*os.scandir(self.root / place)]
            except OSError:  # not there, or not for us: nothing that could be listed
                continue
            for entry in entries:
                name = entry.name
                if name.startswith(".") or name.endswith("~") or name.lower() == "cvs":
                    continue
                path = f"{place}/{name}"
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                elif entry.is_file(follow_symlinks=False):
                    yield path, entry

    def _inside(self, path: str) -> Path:
        """Return the path with links followed."""
        try:
            real = Path(os.path.realpath(self.root / path))
        except ValueError:  # a NUL, or half of a character: no file has such a name
            real = self.root.parent
        if not real.is_relative_to(self.root):
            raise UnityProjectError(
                "validation",
                f"{path!r} leads out of the project; name a file inside of it.",
            )
        return real


def _read(place: Path, path: str, most: int) -> bytes:
    try:
        with os.fdopen(os.open(place, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UnityProjectError("unity", f"{path} is no regular file.")
            return file.read(most)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: OSError) -> UnityProjectError:
    missing = isinstance(error, FileNotFoundError | NotADirectoryError)
    return UnityProjectError(
        "not_found" if missing else "unity",
        f"{path} can't be read: {error.strerror or 'no file has such a name'}.",
    )
