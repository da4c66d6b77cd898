"""The user's data directory, for what must outlive caches and campaigns."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from echidna_mcp.errors import UsageError


def default_data_directory(kind: str) -> Path:
    """Return where data of a kind are kept; whoever writes there makes it.

    Raises:
        UsageError: nobody's home is known; `--data-dir` can name another place.
    """
    try:
        return _user_data() / "echidna-mcp" / kind
    except RuntimeError as error:
        raise UsageError(
            "There is no home directory to keep data in; name one with --data-dir."
        ) from error


def _user_data() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
