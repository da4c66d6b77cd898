"""Open the database of a store: guarded connections and clear errors."""

from __future__ import annotations

import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from sqlite_utils import Database

from echidna_mcp.errors import StoreError, StoreTamperedError
from echidna_mcp.events.schema import TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Mode: TypeAlias = Literal["ro", "rw", "rwc"]
"""Read only; write an existing file; write and create the file."""

_READ_ACTIONS: Final = frozenset(
    {
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION,
    }
)
_READ_PRAGMAS: Final = frozenset({"integrity_check", "synchronous"})


def connect(path: Path, mode: Mode, patience: float) -> Database:
    """Return a connection without a guard yet; the file must be a SQLite database.

    Args:
        path: the database file.
        mode: what may happen to it.
        patience: seconds to wait for a lock that another program holds.

    Raises:
        StoreError: it can't be opened or is no database.
    """
    if path.is_dir():
        # SQLite calls this an I/O error, or that it can't open it, as the mode is.
        raise StoreError(f"The store {path} can't be opened: it is a directory.")
    with store_errors(path):
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=patience,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
            # The first read is what finds out that a file is no database.
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return Database(connection, execute_plugins=False)
        except BaseException:
            connection.close()
            raise


def guard(db: Database, *, writable: bool) -> None:
    """Allow nothing on this connection but reads and, if `writable`, new events.

    UPDATE, DELETE, DROP, ALTER, ATTACH, CREATE and `writable_schema` are refused when
    the statement is prepared, so triggers can't be dropped first.
    """
    db.conn.set_authorizer(_writer if writable else _reader)


def _reader(action: int, name: str | None, *_: str | None) -> int:
    if action in _READ_ACTIONS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA and name in _READ_PRAGMAS:
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


def _writer(action: int, name: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_INSERT and name == TABLE:
        return sqlite3.SQLITE_OK
    return _reader(action, name)


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite about `path` into a `StoreError` of one sentence."""
    try:
        yield
    except sqlite3.Error as error:
        raise _store_error(path, error) from error


def _store_error(path: Path, error: sqlite3.Error) -> StoreError:
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY:
            what = "is locked by another program; close it and run again"
        case sqlite3.SQLITE_FULL:
            what = "does not fit on its disk any more; free some space and run again"
        case sqlite3.SQLITE_NOTADB:
            what = "is not a SQLite database; choose another directory"
        case sqlite3.SQLITE_CANTOPEN:
            what = "can't be opened; check that its directory exists and can be read"
        case sqlite3.SQLITE_READONLY:
            what = "can't be written; check permissions or choose another --corpus-dir"
        case sqlite3.SQLITE_IOERR:
            what = "can't be read or written (disk I/O error); check its disk"
        case sqlite3.SQLITE_CONSTRAINT if _is_stale(error):
            what = "was written by another program meanwhile; verify it, then resume"
        case sqlite3.SQLITE_CORRUPT:
            return StoreTamperedError(
                f"The store {path} is damaged; restore it from a copy."
            )
        case _:
            what = f"failed: {error}"
    return StoreError(f"The store {path} {what}.")


def _is_stale(error: sqlite3.Error) -> bool:
    """Whether the dense trigger refused the event: the seq is not the next one."""
    return error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_TRIGGER
