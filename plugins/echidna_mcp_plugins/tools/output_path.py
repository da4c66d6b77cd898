"""Where a tool may write: inside the corpus directory, over nothing of the campaign."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from echidna_mcp.errors import InvalidInputError
from echidna_mcp.tools.display import shown

SUFFIXES: Final = (".info", ".lcov", ".txt")
_OURS: Final = ("campaign.db", "mcp-commands.")
_MODE: Final = 0o644


def inside(text: str, directory: Path) -> Path:
    """Return the file that a path means; a relative one starts at `directory`.

    Args:
        text: what an agent wrote. Symbolic links are followed before it is judged.
        directory: the only directory in which it may lie, at any depth.

    Raises:
        InvalidInputError: it lies elsewhere, belongs to the campaign, or is no name for
            a report.
    """
    try:
        path = (directory / text).resolve()
        allowed = (
            path.is_relative_to(directory.resolve()) and ".." not in Path(text).parts
        )
        taken = path.is_dir()
    except (OSError, ValueError, RuntimeError):  # too long, a NUL, a loop of links
        allowed, path, taken = False, directory, True
    if not allowed or taken:
        raise _refused(text, f"name a file inside the corpus directory {directory}")
    if path.suffix not in SUFFIXES:
        raise _refused(text, f"the name must end in {', '.join(SUFFIXES)}")
    if path.name.startswith(_OURS):
        raise _refused(text, "the campaign keeps files of that name; choose another")
    return path


def write_atomically(path: Path, content: str, text: str) -> None:
    """Write a file so that readers see the old one or the whole new one.

    Args:
        path: from `inside`.
        content: what it shall hold.
        text: the path as the agent wrote it, for the message.

    Raises:
        InvalidInputError: the file can't be written there.
    """
    fresh = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, fresh = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:64]}.")
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(content)
        Path(fresh).chmod(_MODE)
        Path(fresh).replace(path)
    except OSError as error:
        if fresh is not None:
            with suppress(OSError):
                Path(fresh).unlink(missing_ok=True)
        raise _refused(text, f"it can't be written: {error.strerror}") from error


def _refused(text: str, why: str) -> InvalidInputError:
    return InvalidInputError(
        f"outputPath {shown(text)} can't be used: {why}.",
        argument="outputPath",
        suffixes=list(SUFFIXES),
    )
