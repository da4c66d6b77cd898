"""Files of a target, within bounds that no project meets."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from echidna_mcp.errors import TargetError

MOST_SOURCE_BYTES = 16 << 20
"""Of one source file."""
MOST_SOURCES = 20_000
"""Source files of one target."""
MOST_TOTAL_BYTES = 128 << 20
"""Of all sources of one target."""
_MOST_ENTRIES = 500_000

_SKIPPED = frozenset(
    {"lib", "node_modules", "out", "artifacts", "cache", "build", "crytic-export"}
)


def source_files(directory: Path, suffix: str) -> list[Path]:
    """Return the files below `directory` that end with `suffix`, in order of path.

    Dependencies (`lib`, `node_modules`), what tools have built, hidden directories and
    links to directories are left out.

    Raises:
        TargetError: there are more than any project has.
    """
    found = [path for path in _files(directory) if path.name.endswith(suffix)]
    if len(found) > MOST_SOURCES:
        raise TargetError(
            f"{directory} holds {len(found)} {suffix} files, more than "
            f"{MOST_SOURCES}; name the directory of one project, or one file."
        )
    for path in found:
        refuse_name(path)
    return sorted(found, key=lambda path: path.relative_to(directory).as_posix())


def refuse_name(path: Path) -> None:
    """Refuse a file whose name is no text.

    Raises:
        TargetError: it is not UTF-8.
    """
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise TargetError(
            f"The name of {str(path)!a} is not UTF-8; rename the file or directory."
        ) from None


def _files(directory: Path) -> Iterator[Path]:
    seen = 0
    queue = [directory]
    while queue:
        try:
            with os.scandir(queue.pop()) as listing:
                entries = list(listing)
        except OSError:
            continue  # what can't be listed holds nothing for us
        seen += len(entries)
        if seen > _MOST_ENTRIES:
            raise TargetError(
                f"{directory} holds more than {_MOST_ENTRIES} files; name the "
                "directory of one project, or one file."
            )
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED and not entry.name.startswith("."):
                    queue.append(Path(entry.path))
            elif not (entry.is_symlink() and Path(entry.path).is_dir()):
                yield Path(entry.path)


def has_source_files(target: Path, suffix: str) -> bool:
    """Whether `target` is such a file, or a directory that holds one."""
    if target.is_dir():
        return any(path.name.endswith(suffix) for path in _files(target))
    return target.name.endswith(suffix)


def read_source(file: Path) -> str:
    """Return the text of a source file; line ends stay as they are.

    Raises:
        TargetError: it can't be read, is too large, or is no UTF-8 text.
    """
    try:
        return read_bytes(file, MOST_SOURCE_BYTES).decode("utf-8")
    except UnicodeDecodeError as error:
        raise TargetError(f"{file} is no source text: it is not UTF-8.") from error


def read_bytes(file: Path, most: int) -> bytes:
    """Return what a file holds; a pipe or a device is never waited for.

    Args:
        most: bytes that it may hold.

    Raises:
        TargetError: it can't be read, is no regular file, or is larger.
    """
    try:
        handle = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(handle, "rb") as stream:  # noqa: PTH123 - a descriptor
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise TargetError(f"{file} is no regular file.")
            content = stream.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no file can have this name"
        raise TargetError(f"{file} can't be read: {reason}.") from error
    if len(content) > most:
        raise TargetError(f"{file} is larger than {most >> 10} KiB, the most allowed.")
    return content
