"""The lock that keeps a second writer away from a store."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from echidna_mcp.errors import StoreError, StoreInUseError

if TYPE_CHECKING:
    from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


class WriterLock:
    """An operating-system lock on a file beside the store.

    The system releases it when the process ends, however it ends; the file stays.
    SQLite's own locks can't do this: they shut readers out or last for one transaction.

    Attributes:
        path: of that file.
    """

    def __init__(self, store: Path) -> None:
        """Take the lock.

        Raises:
            StoreInUseError: another writer holds it.
            StoreError: the directory can't be written.
        """
        self.path = _lock_path(store)
        try:
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise StoreError(
                f"The directory {store.parent} can't be written: {error.strerror};"
                " choose another --corpus-dir."
            ) from error
        try:
            _lock(self._file)
        except OSError as error:
            holder = os.read(self._file, 20).decode(errors="replace").strip()
            os.close(self._file)
            who = f" (process {holder})" if holder else ""
            raise StoreInUseError(
                f"The store {store} is in use by another campaign{who};"
                " stop it or choose another --corpus-dir."
            ) from error
        os.ftruncate(self._file, 0)
        os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        """Let the next writer in."""
        os.close(self._file)


def is_locked(store: Path) -> bool:
    """Whether a store has a writer now; nothing is made, so it may lie anywhere."""
    try:
        file = os.open(_lock_path(store), os.O_RDWR)
    except OSError:  # No writer was ever there, or none can be.
        return False
    try:
        _lock(file)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def _lock_path(store: Path) -> Path:
    return store.with_name(store.name + ".lock")


def _lock(file: int) -> None:
    if sys.platform == "win32":
        # A locked byte can't be read on Windows; one far behind the text is locked.
        os.lseek(file, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(file, 0, os.SEEK_SET)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
