"""What the campaign records of a task that could not be run."""

from __future__ import annotations

import traceback
from pathlib import PurePath

from echidna_mcp.errors import EchidnaMcpError

_FRAMES = 3
_MOST_CHARACTERS = 500


def failure(error: Exception) -> str:
    """Return why a task failed, in words that are the same on every machine.

    What is recorded is part of the state digest, so it names the places in the code
    without directories, innermost last.
    """
    if isinstance(error, EchidnaMcpError):
        return error.message
    frames = traceback.extract_tb(error.__traceback__, limit=-_FRAMES)
    places = ", ".join(f"{PurePath(f.filename).name}:{f.lineno}" for f in frames)
    text = f"{type(error).__name__}: {error}"[:_MOST_CHARACTERS]
    return f"{text} (at {places})"
