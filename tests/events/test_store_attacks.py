"""Nothing but new events gets in through our connections; other programs are found."""

from __future__ import annotations

import contextlib
import os
import sqlite3

import pytest
import sqlite_utils

from echidna_mcp.campaign.verification import verify
from echidna_mcp.errors import StoreError, StoreTamperedError
from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.views.command_log import CommandLog, command_log_path


def command(number):
    payload = {"tool": "clear_priorities", "args": {"n": number}, "message": "done"}
    return NewEvent(type="CommandAccepted", round=number, payload=payload)


@pytest.fixture
def path(tmp_path):
    path = store_path(tmp_path)
    with EventStore.create(path) as store:
        store.append(
            [NewEvent(type="WorkerStarted", round=0, worker=0, payload={"n": 0})]
        )
        store.append([command(n) for n in range(1, 4)], durable=True)
        store.append([NewEvent(type="RoundCommitted", round=4, payload={"calls": 9})])
        CommandLog(store).catch_up()
    return path


ROW = "'EVIL', 1, 0, NULL, '2025-01-01T00:00:00.000000Z', '{}', x'00'"
SQL_ATTACKS = {
    "update": "UPDATE events SET type = 'EVIL' WHERE seq = 2",
    "delete": "DELETE FROM events WHERE seq = 2",
    "delete all": "DELETE FROM events",
    "replace": f"INSERT OR REPLACE INTO events VALUES(2, {ROW})",
    "replace last": f"REPLACE INTO events VALUES(5, {ROW})",
    "upsert": f"INSERT INTO events VALUES(2, {ROW})"
    " ON CONFLICT(seq) DO UPDATE SET type = 'EVIL'",
    "gap": f"INSERT INTO events VALUES(99, {ROW})",
    "negative": f"INSERT INTO events VALUES(-1, {ROW})",
    "no seq": f"INSERT INTO events VALUES(NULL, {ROW})",
    "not json": "INSERT INTO events VALUES(6, 'T', 1, 0, NULL, 'now', '{', x'00')",
    "wrong type": "INSERT INTO events VALUES(6, 'T', 'one', 0, NULL, 'n', '{}', x'00')",
    "drop table": "DROP TABLE events",
    "drop trigger": "DROP TRIGGER events_no_update",
    "drop index": "DROP INDEX events_type",
    "rename": "ALTER TABLE events RENAME TO old",
    "add column": "ALTER TABLE events ADD COLUMN oops",
    "new trigger": "CREATE TRIGGER t BEFORE INSERT ON events BEGIN SELECT 1; END",
    "shadow": "CREATE TEMP TABLE events(seq)",
    "attach": "ATTACH ':memory:' AS other",
    "vacuum": "VACUUM",
    "writable schema": "PRAGMA writable_schema=ON",
    "no checks": "PRAGMA ignore_check_constraints=ON",
    "journal": "PRAGMA journal_mode=DELETE",
    "version": "PRAGMA user_version=7",
    "schema": "DELETE FROM sqlite_master WHERE type = 'trigger'",
    "migrations": "DELETE FROM _sqlite_migrations",
}


@pytest.mark.parametrize("how", ["writer", "reader"])
@pytest.mark.parametrize("sql", SQL_ATTACKS.values(), ids=SQL_ATTACKS.keys())
def test_our_connections_refuse(path, sql, how):
    before = verify(path)
    opener = EventStore.open if how == "writer" else EventStore.read_only
    with opener(path) as store, pytest.raises(sqlite3.DatabaseError):
        store._database.conn.execute(sql)
    assert verify(path) == before


RECORD = {
    "seq": 2,
    "type": "Z",
    "version": 1,
    "round": 0,
    "worker": None,
    "at": "",
    "payload": "{}",
    "digest": b"",
}
HELPERS = {
    "update": lambda db: db["events"].update(2, {"type": "Z"}),
    "delete": lambda db: db["events"].delete(2),
    "upsert": lambda db: db["events"].upsert(RECORD, pk="seq"),
    "replace": lambda db: db["events"].insert(RECORD, pk="seq", replace=True),
    "transform": lambda db: db["events"].transform(rename={"type": "kind"}),
    "drop": lambda db: db["events"].drop(),
    "vacuum": lambda db: db.vacuum(),
    "alter": lambda db: db["events"].insert({**RECORD, "seq": 6, "x": 1}, alter=True),
}


@pytest.mark.parametrize("helper", HELPERS.values(), ids=HELPERS.keys())
def test_the_helpers_of_sqlite_utils_are_refused(path, helper):
    before = verify(path)
    with (
        EventStore.open(path) as store,
        pytest.raises((sqlite3.DatabaseError, sqlite_utils.db.TransactionError)),
    ):
        helper(store._database)
    assert verify(path) == before


@pytest.mark.parametrize("how", ["update", "delete", "replace", "gap", "negative"])
def test_the_triggers_stop_other_programs_too(path, how):
    with contextlib.closing(sqlite3.connect(path)) as plain:
        with pytest.raises(sqlite3.IntegrityError, match="event"):
            plain.execute(SQL_ATTACKS[how])
        plain.rollback()
    assert verify(path).events == 5


# ---------------------------------------------------------------- tampering is found

TRIGGERS = ("events_no_update", "events_no_delete", "events_dense")


@contextlib.contextmanager
def intruder(path):
    """Open a plain connection without our triggers, and put them back afterwards."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as plain:
        found = plain.execute("SELECT sql FROM sqlite_master WHERE type = 'trigger'")
        saved = [sql for (sql,) in found]
        for name in TRIGGERS:
            plain.execute(f"DROP TRIGGER {name}")
        yield plain
        for sql in saved:
            plain.execute(sql)


CHANGES = {
    "type": "UPDATE events SET type = 'EVIL' WHERE seq = 3",
    "version": "UPDATE events SET version = 2 WHERE seq = 3",
    "round": "UPDATE events SET round = 77 WHERE seq = 3",
    "worker": "UPDATE events SET worker = 0 WHERE seq = 3",
    "at": "UPDATE events SET at = '2020-01-01T00:00:00.000000Z' WHERE seq = 3",
    "payload": "UPDATE events SET payload = json_set(payload, '$.args.n', 9)"
    " WHERE seq = 3",
    "spaces": "UPDATE events SET payload = payload || ' ' WHERE seq = 3",
    "digest": "UPDATE events SET digest = zeroblob(32) WHERE seq = 3",
    "deleted": "DELETE FROM events WHERE seq = 3",
    "swapped": "UPDATE events SET seq = CASE seq WHEN 3 THEN -4 ELSE -3 END"
    " WHERE seq IN (3, 4); UPDATE events SET seq = -seq WHERE seq < 0",
}


@pytest.mark.parametrize("sql", CHANGES.values(), ids=CHANGES.keys())
def test_a_changed_row_is_named(path, sql):
    with intruder(path) as plain:
        plain.executescript(sql)
    with pytest.raises(StoreTamperedError, match="event 3") as caught:
        verify(path)
    assert caught.value.details == {"seq": 3}


def test_a_forged_event_at_the_end_is_named(path):
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute(f"INSERT INTO events VALUES(6, {ROW})")
        plain.commit()
    with pytest.raises(StoreTamperedError, match=r"event 6 \(EVIL\)"):
        verify(path)


def test_a_row_before_the_first_is_named(path):
    with intruder(path) as plain:
        plain.execute(f"INSERT INTO events VALUES(0, {ROW})")
    with pytest.raises(StoreTamperedError) as caught:
        verify(path)
    assert caught.value.details == {"seq": 1}


@pytest.mark.parametrize("name", [*TRIGGERS, "events_type"])
def test_missing_guards_are_named(path, name):
    kind = "INDEX" if name == "events_type" else "TRIGGER"
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute(f"DROP {kind} {name}")
    with pytest.raises(StoreTamperedError, match=f"{name} is missing"):
        verify(path)


def test_weakened_and_added_triggers_are_named(path):
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.executescript(
            "DROP TRIGGER events_no_update;"
            "CREATE TRIGGER events_no_update BEFORE UPDATE ON events"
            " BEGIN SELECT 1; END"
        )
    with pytest.raises(StoreTamperedError, match="events_no_update is not what it"):
        verify(path)


def test_a_cut_tail_is_revealed_by_the_command_log(path):
    with intruder(path) as plain:
        plain.execute("DELETE FROM events WHERE seq >= 4")
    with pytest.raises(StoreTamperedError, match="command log names event 4"):
        verify(path)


def test_a_cut_tail_is_revealed_by_an_earlier_head(path):
    head = verify(path).head
    assert verify(path, head=head).events == 5
    with intruder(path) as plain:
        plain.execute("DELETE FROM events WHERE seq = 5")
    assert verify(path).events == 4
    with pytest.raises(StoreTamperedError, match=head):
        verify(path, head=head)


def test_an_earlier_head_still_counts_after_the_store_has_grown(path):
    head = verify(path).head
    with EventStore.open(path) as store:
        store.append([NewEvent(type="CampaignStopped", round=5, payload={})])
    assert verify(path, head=head).events == 6


@pytest.mark.parametrize(
    ("old", "new"),
    [('"n":2', '"n":7'), ('"round":2', '"round":3'), ("clear_p", "swear_p")],
)
def test_a_command_log_that_tells_another_story_is_named(path, old, new):
    log = command_log_path(path.parent)
    text = log.read_text()
    assert text.count(old) >= 1
    lines = text.splitlines(keepends=True)
    lines[1] = lines[1].replace(old, new)
    log.write_text("".join(lines))
    with pytest.raises(StoreTamperedError, match="something else about event 3"):
        verify(path)


def test_what_an_intact_store_holds(path):
    verified = verify(path)
    with EventStore.read_only(path) as store:
        assert verified.head == store.last().digest.hex()
    assert (verified.events, verified.commands, verified.rounds) == (5, 3, 4)


def test_overwritten_pages_are_found(path):
    with EventStore.open(path) as store:
        payload = {"x": "y" * 300}
        store.append([NewEvent(type="RoundCommitted", round=1, payload=payload)] * 200)
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(size // 2 // 4096 * 4096)
        file.write(os.urandom(4096))
    with pytest.raises(StoreTamperedError, match=r"damaged|digest|missing"):
        verify(path)


def test_an_index_that_hides_events_is_found(path):
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as plain:
        (sql,) = plain.execute(
            "SELECT sql FROM sqlite_master WHERE name = 'events_type'"
        ).fetchone()
        plain.execute("PRAGMA writable_schema=ON")
        # Make SQLite forget the index, add a row to the table only, and remember it.
        page, text = plain.execute(
            "SELECT rootpage, sql FROM sqlite_master WHERE name = 'events_type'"
        ).fetchone()
        plain.execute("DELETE FROM sqlite_master WHERE name = 'events_type'")
    assert sql == text
    with EventStore.open(path) as store:
        store.append([command(9)])
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as plain:
        plain.execute("PRAGMA writable_schema=ON")
        plain.execute(
            "INSERT INTO sqlite_master VALUES('index', 'events_type', 'events', ?, ?)",
            [page, text],
        )
    with pytest.raises(StoreTamperedError, match="damaged"):
        verify(path)


def test_a_second_program_that_appends_stops_the_writer(path):
    with EventStore.open(path) as store:
        with contextlib.closing(sqlite3.connect(path)) as plain:
            plain.execute(f"INSERT INTO events VALUES(6, {ROW})")
            plain.commit()
        for _ in range(2):
            with pytest.raises(StoreError, match="written by another program"):
                store.append([command(7)])
