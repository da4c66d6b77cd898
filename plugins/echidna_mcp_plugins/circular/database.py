"""A SQLite file in a directory, of one process or of several."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from echidna_mcp_plugins.circular.errors import (
    CircularError,
    ErrorType,
    invalid_input,
)
from echidna_mcp_plugins.circular.locks import lock_now, make_directory

_VERSION: Final = 1
"""Of the tables; a program refuses files of later ones."""


class InUseError(CircularError):
    """Another process has the file."""


class Database:
    """An open file; only its owner can read it.

    Attributes:
        connection: commits each statement, unless a transaction is begun.
    """

    def __init__(
        self,
        directory: Path,
        name: str,
        schema: str,
        *,
        survives_power_cuts: bool,
        shared: bool = False,
    ) -> None:
        """Open a file, which is made if there is none, as its directory is.

        Args:
            directory: where it is.
            name: of the file.
            schema: statements that make the tables, if they are not there.
            survives_power_cuts: whether a statement that returns is on the disk.
                Otherwise it only survives the end of the process.
            shared: whether other processes may have it open, too. Whoever opens it has
                the lock of the file meanwhile, because its tables are made then.

        Raises:
            InUseError: it is not shared, and another process has it.
            CircularError: INVALID_INPUT, it can't be used.
        """
        path = directory / name
        make_directory(directory)
        self._lock = None if shared else lock_now(path)
        if self._lock is None and not shared:
            raise InUseError(
                ErrorType.INVALID_INPUT,
                f"Another process uses {path}: stop it, or choose another directory.",
            )
        try:
            # Made first, so that nobody else can read it at any time.
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        except OSError as error:
            self._release()
            raise invalid_input(
                f"The directory {directory} can't be written: choose another one."
            ) from error
        self.connection = sqlite3.connect(path, isolation_level=None)
        try:
            self._prepare(path, schema, survives_power_cuts=survives_power_cuts)
        except sqlite3.Error as error:
            self.close()
            raise invalid_input(
                f"The file {path} can't be used ({error}): choose another directory."
            ) from error
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let the next process have it."""
        self.connection.close()
        self._release()

    @contextmanager
    def change(self) -> Iterator[None]:
        """Write everything within the block, or nothing; nobody else writes meanwhile.

        Raises:
            sqlite3.Error: it can't be read or written.
        """
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self.connection.in_transaction:  # Some failures have ended it.
                self.connection.execute("ROLLBACK")
            raise
        self.connection.execute("COMMIT")

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def _prepare(self, path: Path, schema: str, *, survives_power_cuts: bool) -> None:
        execute = self.connection.execute
        (version,) = execute("PRAGMA user_version").fetchone()
        if version > _VERSION:
            raise invalid_input(
                f"A newer version of this program has written {path}: use that one."
            )
        execute("PRAGMA journal_mode = WAL")
        # In this mode NORMAL writes to the disk from time to time, FULL each time.
        execute(f"PRAGMA synchronous = {'FULL' if survives_power_cuts else 'NORMAL'}")
        self.connection.executescript(f"{schema}; PRAGMA user_version = {_VERSION}")
