"""Locks between the processes that share a directory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from echidna_mcp.errors import StoreError, StoreInUseError
from echidna_mcp.events.lock import WriterLock
from echidna_mcp_plugins.circular.errors import invalid_input, unavailable

WAIT_SECONDS: Final = 10.0
"""How long a call waits for other processes: half of its deadline, so that the caller
is told what it waited for."""
_PAUSE_SECONDS: Final = 0.01


def make_directory(directory: Path) -> None:
    """Make a directory that only its owner can use, if it is not there.

    Raises:
        CircularError: INVALID_INPUT, it can't be made.
    """
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise invalid_input(
            f"The directory {directory} can't be written: choose another one."
        ) from error


def lock_now(path: Path) -> WriterLock | None:
    """Take the lock of a file; None if another process, or a part of this one, has it.

    The lock is on a file beside it, and ends with the process at the latest.

    Raises:
        CircularError: INVALID_INPUT, the directory can't be written.
    """
    try:
        return WriterLock(path)
    except StoreInUseError:
        return None
    except StoreError as error:
        raise invalid_input(
            f"The directory {path.parent} can't be written: choose another one."
        ) from error


@asynccontextmanager
async def locked(path: Path, until: float) -> AsyncIterator[None]:
    """Have the lock of a file until the end of the block.

    Args:
        path: the file.
        until: how long to wait for it, a time of `time.monotonic`.

    Raises:
        CircularError: API_UNAVAILABLE, others had it all the time; INVALID_INPUT, the
            directory can't be written.
    """
    while (lock := lock_now(path)) is None:
        if time.monotonic() >= until:
            raise unavailable(
                f"Other processes that share {path.parent} were busy all the time:"
                " make the same call again."
            )
        await asyncio.sleep(_PAUSE_SECONDS)
    try:
        yield
    finally:
        lock.release()
