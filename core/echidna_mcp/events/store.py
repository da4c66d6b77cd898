"""The append-only event store: the only state of a campaign."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from echidna_mcp.errors import StoreError, StoreInUseError
from echidna_mcp.events.chain import Row
from echidna_mcp.events.connection import connect, guard, store_errors
from echidna_mcp.events.lock import WriterLock
from echidna_mcp.events.rows import Head, decode, link_events
from echidna_mcp.events.schema import (
    COLUMNS,
    MIGRATIONS,
    TABLE,
    check_origin,
    migrations,
)
from echidna_mcp.events.upcasters import UPCASTERS, UpcasterTable

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from sqlite_utils import Database

    from echidna_mcp.events.event import Event, NewEvent
    from echidna_mcp.events.payloads import EventType

PATIENCE: Final = 5.0
"""Seconds to wait for a lock that another program holds."""

_CHUNK: Final = 512
_INSERT: Final = f"INSERT INTO {TABLE}({COLUMNS}) VALUES(?, ?, ?, ?, ?, ?, ?, ?)"
_HEAD: Final = f"SELECT seq, digest, at FROM {TABLE} ORDER BY seq DESC LIMIT 1"  # noqa: S608 - constants

Clock: TypeAlias = Callable[[], int]
"""The wall clock: nanoseconds since 1970, UTC."""


def store_path(corpus_dir: Path) -> Path:
    """Return where the store of a corpus directory lies."""
    return corpus_dir / "campaign.db"


class EventStore:
    """An append-only, hash-chained log of events in one SQLite file.

    There is one writer; readers in other threads and processes see whole commits. All
    methods may be called from any thread. Made by `create`, `open` and `read_only`.
    """

    def __init__(
        self,
        path: Path,
        database: Database,
        *,
        lock: WriterLock | None = None,
        clock: Clock = time.time_ns,
        upcasters: UpcasterTable = UPCASTERS,
    ) -> None:
        self.path = path
        self._database = database
        self._writer_lock = lock
        self._clock = clock
        self._upcasters = upcasters
        self._mutex = threading.RLock()
        self._closed = False
        self._head = self._stored_head()

    # ------------------------------------------------------------------ opening

    @classmethod
    def create(
        cls,
        path: Path,
        *,
        clock: Clock = time.time_ns,
        upcasters: UpcasterTable = UPCASTERS,
        patience: float = PATIENCE,
    ) -> Self:
        """Make a new store and return its writer; a store without events is taken over.

        Raises:
            StoreInUseError: there is a campaign already, or somebody makes one.
            StoreError: the file can't be made.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            taken = isinstance(error, FileExistsError)
            why = "something else has its name" if taken else error.strerror
            raise StoreError(
                f"The directory {path.parent} can't be made: {why};"
                " choose another --corpus-dir."
            ) from error
        store = cls._writer(path, True, clock, upcasters, patience)
        if count := store.count:
            store.close()
            raise StoreInUseError(
                f"The store {path} already holds a campaign of {count} events;"
                " resume it or choose another --corpus-dir."
            )
        return store

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        clock: Clock = time.time_ns,
        upcasters: UpcasterTable = UPCASTERS,
        patience: float = PATIENCE,
    ) -> Self:
        """Return the writer of an existing store.

        Raises:
            StoreError: there is no store, it has a writer, or it can't be written.
        """
        require_store(path)
        return cls._writer(path, False, clock, upcasters, patience)

    @classmethod
    def read_only(
        cls,
        path: Path,
        *,
        upcasters: UpcasterTable = UPCASTERS,
        patience: float = PATIENCE,
    ) -> Self:
        """Return a reader of an existing store, which may have a writer.

        Raises:
            StoreError: there is no store, or it can't be read.
        """
        require_store(path)
        database = connect(path, "ro", patience)
        try:
            with store_errors(path):
                check_origin(path, database)
                guard(database, writable=False)
                return cls(path, database, upcasters=upcasters)
        except BaseException:
            database.close()
            raise

    @classmethod
    def _writer(
        cls,
        path: Path,
        fresh: bool,
        clock: Clock,
        upcasters: UpcasterTable,
        patience: float,
    ) -> Self:
        lock = WriterLock(path)
        try:
            database = connect(path, "rwc" if fresh else "rw", patience)
            try:
                with store_errors(path):
                    check_origin(path, database, fresh=fresh)
                    database.execute("PRAGMA journal_mode=WAL").fetchone()
                    database.execute("PRAGMA synchronous=FULL")
                    migrations().apply(database)
                    guard(database, writable=True)
                    return cls(
                        path, database, lock=lock, clock=clock, upcasters=upcasters
                    )
            except BaseException:
                database.close()
                raise
        except BaseException:
            lock.release()
            raise

    # ------------------------------------------------------------------ writing

    def append(
        self, events: Sequence[NewEvent], *, durable: bool = False
    ) -> tuple[Event, ...]:
        """Store events in one commit and return them as a later read gives them.

        Args:
            events: in order; if one of them can't be stored, none is.
            durable: whether the commit must survive a loss of power, as commands must
                (FR-010). Otherwise it survives a crash of the process.

        Raises:
            StoreError: the store is read only, full or locked, or an event is wrong.
        """
        with self._mutex:
            self._check_open()
            if self._writer_lock is None:
                raise StoreError(f"The store {self.path} was opened for reading only.")
            if not events:
                return ()
            linked = link_events(self._head, events, self._clock(), self._upcasters)
            try:
                with store_errors(self.path):
                    self._commit(linked.rows, durable=durable)
                self._head = linked.head
            except StoreError:
                raise
            except BaseException:
                # Interrupted, maybe right after the commit: ask the table.
                self._head = self._stored_head()
                raise
            return linked.events

    def _commit(self, rows: list[tuple[object, ...]], *, durable: bool) -> None:
        connection = self._database.conn
        # Durable is the rule: who gives a command waits for it, a round has time.
        if not durable:
            connection.execute("PRAGMA synchronous=NORMAL")
        try:
            # IMMEDIATE: a plain BEGIN takes the write lock too late to wait for it.
            connection.execute("BEGIN IMMEDIATE")
            connection.executemany(_INSERT, rows)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        finally:
            if not durable:
                connection.execute("PRAGMA synchronous=FULL")

    # ------------------------------------------------------------------ reading

    def read(
        self,
        after: int = 0,
        limit: int | None = None,
        types: Sequence[EventType] | None = None,
    ) -> Iterator[Event]:
        """Yield events in order, payloads in their newest version.

        Nothing is locked between two events; events that are committed during the
        iteration are met as well.

        Args:
            after: start behind this position.
            limit: at most so many events; None for all.
            types: only events of these types.

        Raises:
            StoreError: the store can't be read or is newer than this program.
        """
        left = limit
        while left is None or left > 0:
            wanted = _CHUNK if left is None else min(left, _CHUNK)
            rows = self._rows(after, wanted, types)
            for row in rows:
                yield decode(row, self._upcasters)
            if len(rows) < wanted:
                return
            after = rows[-1]["seq"]
            left = None if left is None else left - wanted

    def stored(self) -> Iterator[tuple[Row, bytes]]:
        """Yield every row as it is stored, in order, with its digest.

        Raises:
            StoreError: the store can't be read.
        """
        after = 0
        while rows := self._rows(after, _CHUNK, None):
            for row in rows:
                digest = row.pop("digest")
                yield Row(**row), digest
            after = rows[-1]["seq"]

    def last(self) -> Event | None:
        """Return the newest event, or None if there is none."""
        return next(self.read(after=self.count - 1, limit=1), None)

    @property
    def count(self) -> int:
        """Number of events."""
        with self._mutex:
            self._check_open()
            head = self._stored_head() if self._writer_lock is None else self._head
            return head.seq

    def _rows(
        self, after: int, limit: int, types: Sequence[EventType] | None
    ) -> list[dict[str, Any]]:
        where, arguments = "seq > ?", [after, *(types or ())]
        if types is not None:
            where += f" AND type IN ({', '.join('?' * len(types))})"
        with self._mutex, store_errors(self.path):
            self._check_open()
            # Not `rows_where`, which asks first whether there is such a table.
            cursor = self._database.execute(
                f"SELECT {COLUMNS} FROM {TABLE}"  # noqa: S608 (our own names)
                f" WHERE {where} ORDER BY seq LIMIT ?",
                [*arguments, limit],
            )
            names = [column for column, *_ in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]

    def _stored_head(self) -> Head:
        with store_errors(self.path):
            row = self._database.execute(_HEAD).fetchone()
        return Head.of(*row) if row else Head()

    def copy_to(self, path: Path) -> None:
        """Write all that is committed to a new file, which is a store as well.

        Raises:
            StoreError: it can't be read or written.
        """
        with self._mutex, store_errors(self.path):
            self._check_open()
            with closing(sqlite3.connect(path)) as copy:
                self._database.conn.backup(copy)

    # ------------------------------------------------------------------ closing

    def close(self) -> None:
        """Release the store; closing twice does nothing."""
        with self._mutex:
            if self._closed:
                return
            self._closed = True
            try:
                with store_errors(self.path):
                    self._database.close()
            finally:
                if self._writer_lock is not None:
                    self._writer_lock.release()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreError(f"The store {self.path} is closed.")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def is_blank(path: Path) -> bool:
    """Whether there is no store, or only what a crash at its creation leaves.

    Raises:
        StoreError: what is there can't be read.
    """
    try:
        if not path.exists():
            return True
    except OSError as error:
        raise StoreError(
            f"The directory {path.parent} can't be read: {error.strerror};"
            " choose another --corpus-dir."
        ) from error
    with closing(connect(path, "ro", PATIENCE)) as database, store_errors(path):
        return not set(database.table_names()) - {MIGRATIONS}


def require_store(path: Path) -> None:
    """Refuse a path at which there is nothing.

    Raises:
        StoreError: there is no store, or it can't be reached.
    """
    try:
        path.stat()
    except OSError as error:
        raise StoreError(
            f"There is no campaign in {path.parent}: {path.name} can't be read"
            f" ({error.strerror}); check its name."
        ) from error
