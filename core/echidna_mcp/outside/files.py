"""Files and directories of a project, as cheatcodes ask for them.

Texts of errors are Foundry's, and so is what a path means: it is relative to the
project, and links are followed first if they lead to something.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from echidna_mcp.evm.outside import Reply, Request
from echidna_mcp.outside.permissions import Permissions

MOST_FILE: Final = 4 << 20
"""Bytes of a file that is read."""
_MOST_ENTRIES: Final = 10_000
"""Entries of a directory that are told."""
_WRITABLE: Final = 0o222


class _Place(NamedTuple):
    """A path that is asked for.

    Attributes:
        path: absolute; links are followed if something is there.
        real: links are followed as far as they lead.
        shown: as messages call it: relative to the project if it is in it.
    """

    path: Path
    real: Path
    shown: str


class Files:
    """The files of a project.

    Args:
        root: its directory, links followed.
        permissions: what may be read.
    """

    def __init__(self, root: Path, permissions: Permissions) -> None:
        self._root = root
        self._permissions = permissions

    def reply(self, request: Request) -> Reply:
        """Answer a request for a file, an entry, a directory or a link."""
        given = request.arguments[0]
        if "\0" in given:
            return Reply(error=f"the path {given} is no path")
        place = self._place(given)
        refusal = self._permissions.refusal(place.real, place.shown)
        if refusal:
            return Reply(
                error=f"the path {place.shown} is not allowed to be accessed for read "
                "operations",
                refusal=refusal,
            )
        try:
            return self._found(request, place.path)
        except OSError as error:
            return Reply(error=_reason(error))

    def _found(self, request: Request, path: Path) -> Reply:
        match request.kind:
            case "file":
                return _content(path)
            case "directory":
                _, depth, follow = request.arguments
                return self._directory(path, int(depth), follow=follow == "1")
            case "link":
                return _target(path)
            case "metadata":
                return Reply(values=_metadata(path))
            case _:
                return Reply(values=_entry(path))

    def _place(self, given: str) -> _Place:
        # Whatever is odd about a path, it must not be another one to the system.
        joined = os.path.normpath(os.path.join(self._root, given))  # noqa: PTH118
        path = Path(joined)
        real = Path(os.path.realpath(joined))
        if os.path.lexists(real):
            path = real
        inside = path.is_relative_to(self._root)
        shown = str(path.relative_to(self._root)) if inside else given
        return _Place(path, real, "" if shown == "." else shown)

    def _directory(self, path: Path, depth: int, *, follow: bool) -> Reply:
        """Tell what is in a directory, down to a depth; at least what is in itself."""
        values: list[bytes] = []
        for count, row in enumerate(self._walk(path, max(depth, 1), 0, follow=follow)):
            if count == _MOST_ENTRIES:
                return Reply(
                    refusal=f"reads a directory with more than {_MOST_ENTRIES} entries."
                )
            values += row
        return Reply(values=tuple(values))

    def _walk(
        self, path: Path, deepest: int, depth: int, *, follow: bool
    ) -> Iterator[tuple[bytes, ...]]:
        try:
            names = sorted(each.name for each in path.iterdir())
        except NotADirectoryError:
            return
        except OSError as error:
            text = f"IO error for operation on {path}: {_reason(error)}"
            yield _row(path, depth, error=text)
            return
        for name in names:
            below = path / name
            link = below.is_symlink()
            if follow and link:
                try:
                    below.stat()
                except OSError as error:
                    text = f"IO error for operation on {below}: {_reason(error)}"
                    yield _row(below, depth + 1, error=text)
                    continue
            looks = follow or not link
            directory = looks and below.is_dir()
            yield _row(below, depth + 1, directory=directory, link=link and not follow)
            real = Path(os.path.realpath(below))
            # What a link leads to is listed if it could be read itself, and once.
            allowed = not link or (
                not self._permissions.refusal(real, name)
                and not path.is_relative_to(real)
            )
            if directory and allowed and depth + 1 < deepest:
                yield from self._walk(below, deepest, depth + 1, follow=follow)


def _content(path: Path) -> Reply:
    try:
        # Who opens a pipe may otherwise wait for its writer.
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        return Reply(error=f'failed to open file "{path}": {_reason(error)}')
    try:
        mode = os.fstat(number).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            return Reply(refusal=f"reads {path.name}, which is no ordinary file.")
        with open(number, "rb", closefd=False) as file:
            content = file.read(MOST_FILE + 1)
    except OSError as error:
        return Reply(error=f'failed to read from "{path}": {_reason(error)}')
    finally:
        os.close(number)
    if len(content) > MOST_FILE:
        return Reply(refusal=f"reads {path.name}, which has more than 4 MiB.")
    return Reply(values=(os.fsencode(path), content))


def _entry(path: Path) -> tuple[bytes, ...]:
    place = os.fsencode(path)
    try:
        found = path.stat()
    except OSError:
        return (place,)
    return (place, _number(stat.S_ISDIR(found.st_mode)))


def _metadata(path: Path) -> tuple[bytes, ...]:
    """Return what is known of what is at a path.

    Raises:
        OSError: nothing is there.
    """
    found = path.stat()
    created = getattr(found, "st_birthtime", 0)
    numbers = (
        *(stat.S_ISDIR(found.st_mode), False, found.st_size),
        *(not found.st_mode & _WRITABLE, found.st_mtime, found.st_atime, created),
    )
    return tuple(map(_number, numbers))


def _number(value: float) -> bytes:
    return str(int(value)).encode()


def _target(path: Path) -> Reply:
    try:
        return Reply(values=(os.fsencode(path.readlink()),))
    except OSError as error:
        return Reply(error=f'failed to read from "{path}": {_reason(error)}')


def _row(
    path: Path,
    depth: int,
    *,
    directory: bool = False,
    link: bool = False,
    error: str = "",
) -> tuple[bytes, ...]:
    numbers = map(_number, (depth, directory, link))
    return (error.encode(), os.fsencode(path), *numbers)


def _reason(error: OSError) -> str:
    return f"{os.strerror(error.errno or 0)} (os error {error.errno})"
