"""Source files of a target."""

from __future__ import annotations

import os
from pathlib import Path

from echidna_mcp.errors import TargetError

_SKIPPED = frozenset(
    {"lib", "node_modules", "out", "artifacts", "cache", "build", "crytic-export"}
)


def source_files(directory: Path, suffix: str) -> list[Path]:
    """Return the files below `directory` that end with `suffix`, in order of path.

    Dependencies (`lib`, `node_modules`), what tools have built, and hidden directories
    are left out.
    """
    found = []
    for place, directories, names in os.walk(directory):
        directories[:] = sorted(
            name
            for name in directories
            if name not in _SKIPPED and not name.startswith(".")
        )
        found += [Path(place, name) for name in names if name.endswith(suffix)]
    return sorted(found, key=lambda path: path.relative_to(directory).as_posix())


def has_source_files(target: Path, suffix: str) -> bool:
    """Whether `target` is such a file, or a directory that holds one."""
    if target.is_dir():
        return bool(source_files(target, suffix))
    return target.name.endswith(suffix)


def read_source(file: Path) -> str:
    """Return the text of a source file; line ends stay as they are.

    Raises:
        TargetError: it can't be read, or it is no UTF-8 text.
    """
    try:
        return file.read_bytes().decode("utf-8")
    except OSError as error:
        raise TargetError(f"{file} can't be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise TargetError(f"{file} is no source text: it is not UTF-8.") from error
