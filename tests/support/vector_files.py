"""Where the official state tests lie, if they are at hand."""

from __future__ import annotations

import os
import tarfile
from pathlib import Path

_VARIABLE = "ECHIDNA_MCP_VECTORS"
_BESIDE = Path(__file__).parents[3] / "shared" / "vectors"


def vector_source() -> Path | None:
    """Return the folder or archive with state tests; None if there is none.

    `ECHIDNA_MCP_VECTORS` names it. Without it, the archive in `shared/vectors` beside
    the project is taken.
    """
    if named := os.environ.get(_VARIABLE):
        return Path(named)
    archives = sorted(_BESIDE.glob("*.tar.*")) if _BESIDE.is_dir() else []
    return archives[0] if archives else None


def vector_files(source: Path, scratch: Path) -> list[Path]:
    """Return the files of a folder, or of an archive that is unpacked into `scratch`.

    Raises:
        FileNotFoundError: there is no JSON file.
    """
    folder = source
    if source.is_file():
        folder = scratch
        with tarfile.open(source) as archive:
            archive.extractall(folder, filter="data")
    files = sorted(folder.rglob("*.json"))
    if not files:
        raise FileNotFoundError(f"No state tests in {source}.")
    return files
