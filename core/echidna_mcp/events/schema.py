"""The tables of the event store and their migrations.

One append-only table. Triggers refuse changes, deletions and any sequence number but
the next, which also refuses `INSERT OR REPLACE` and a stale writer. STRICT keeps the
types of the columns. `echidna_mcp.events.connection.guard` refuses the rest.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Final

from sqlite_utils import Database, Migrations

from echidna_mcp.errors import StoreError

if TYPE_CHECKING:
    from pathlib import Path

TABLE: Final = "events"
MIGRATIONS: Final = Migrations.migrations_table
COLUMNS: Final = "seq, type, version, round, worker, at, payload, digest"

_EVENTS_V1: Final = (
    """
CREATE TABLE events(
  seq INTEGER PRIMARY KEY,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  round INTEGER NOT NULL,
  worker INTEGER,
  at TEXT NOT NULL,
  payload TEXT NOT NULL CHECK(json_valid(payload)),
  digest BLOB NOT NULL
) STRICT
""",
    """
CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'events are never changed'); END
""",
    """
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END
""",
    """
CREATE TRIGGER events_dense BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM events)
BEGIN SELECT RAISE(ABORT, 'an event must take the next seq'); END
""",
    "CREATE INDEX events_type ON events(type, seq)",
)


def migrations() -> Migrations:
    """Return every step from an empty database to today's tables, in order."""
    steps = Migrations("echidna_mcp")

    @steps(name="events_v1")
    def events_v1(db: Database) -> None:
        for statement in _EVENTS_V1:
            db.execute(statement)

    return steps


def check_origin(path: Path, db: Database, *, fresh: bool = False) -> None:
    """Refuse databases of other programs and of newer versions of this one.

    Args:
        path: for the message.
        db: the database.
        fresh: whether an empty database will do.

    Raises:
        StoreError: it is not ours.
    """
    tables = set(db.table_names()) - {MIGRATIONS}
    applied = applied_migrations(db)
    if (tables or not fresh) if not applied else TABLE not in tables:
        raise StoreError(
            f"The database {path} holds no campaign; choose another directory."
        )
    with closing(Database(memory=True, execute_plugins=False)) as empty:
        known = {step.name for step in migrations().pending(empty)}
    if applied - known:
        raise StoreError(
            f"The store {path} was written by a newer version of echidna-mcp;"
            " upgrade echidna-mcp."
        )


def applied_migrations(db: Database) -> frozenset[str]:
    """Return the names of the migrations that made the tables of `db`."""
    return frozenset(step.name for step in migrations().applied(db))


def objects(db: Database) -> dict[str, str]:
    """Return the SQL of the event table, its triggers and its indexes, by name."""
    found = db.execute(
        "SELECT name, sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL"
        " ORDER BY name",
        [TABLE],
    )
    return {name: " ".join(sql.split()) for name, sql in found}


def expected_objects(applied: frozenset[str]) -> dict[str, str]:
    """Return what `objects` gives for an untouched store after these migrations."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    with closing(Database(connection, execute_plugins=False)) as model:
        steps = migrations()
        missing = [s.name for s in steps.pending(model) if s.name not in applied]
        steps.apply(model, stop_before=missing)
        return objects(model)
