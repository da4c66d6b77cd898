"""Whatever is wrong with a store, a user reads one sentence."""

from __future__ import annotations

import contextlib
import sqlite3

import pytest

from echidna_mcp.campaign.verification import verify
from echidna_mcp.errors import StoreError
from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.store import EventStore, store_path

STOPPED = NewEvent(type="CampaignStopped", round=0, payload={"pad": "x" * 2000})
OPENERS = (EventStore.open, EventStore.read_only, verify)


@pytest.mark.parametrize("opener", OPENERS)
def test_a_missing_store_is_named(tmp_path, opener):
    with pytest.raises(StoreError, match=r"campaign\.db"):
        opener(store_path(tmp_path))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("opener", [*OPENERS, EventStore.create])
def test_a_file_that_is_no_database(tmp_path, opener):
    path = store_path(tmp_path)
    path.write_text("solidity " * 1000)
    with pytest.raises(StoreError, match="is not a SQLite database"):
        opener(path)
    assert path.read_text() == "solidity " * 1000


@pytest.mark.parametrize("opener", [*OPENERS, EventStore.create])
def test_a_directory_in_place_of_the_file(tmp_path, opener):
    path = store_path(tmp_path)
    path.mkdir()
    with pytest.raises(StoreError, match="can't be opened"):
        opener(path)


def test_a_file_in_place_of_the_corpus_directory(tmp_path):
    (tmp_path / "corpus").write_text("")
    with pytest.raises(StoreError, match="can't be made"):
        EventStore.create(store_path(tmp_path / "corpus"))
    for opener in (EventStore.open, EventStore.read_only):
        with pytest.raises(StoreError, match="no campaign"):
            opener(store_path(tmp_path / "corpus"))


@pytest.mark.parametrize("opener", [*OPENERS, EventStore.create])
@pytest.mark.parametrize("table", ["events", "users"])
def test_a_database_of_another_program_is_left_alone(tmp_path, opener, table):
    path = store_path(tmp_path)
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute(f"CREATE TABLE {table}(x)")
    with pytest.raises(StoreError, match="holds no campaign"):
        opener(path)
    with contextlib.closing(sqlite3.connect(path)) as plain:
        assert plain.execute("SELECT name FROM sqlite_master").fetchall() == [(table,)]


@pytest.mark.parametrize("opener", OPENERS)
def test_an_empty_file_holds_no_campaign(tmp_path, opener):
    path = store_path(tmp_path)
    path.touch()
    with pytest.raises(StoreError, match="holds no campaign"):
        opener(path)
    EventStore.create(path).close()
    EventStore.open(path).close()


@pytest.mark.parametrize("opener", OPENERS)
def test_a_store_of_a_newer_version_is_not_touched(tmp_path, opener):
    path = store_path(tmp_path)
    EventStore.create(path).close()
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute(
            "INSERT INTO _sqlite_migrations(migration_set, name, applied_at)"
            " VALUES('echidna_mcp', 'events_v99', 'later')"
        )
        plain.commit()
    with pytest.raises(StoreError, match="newer version"):
        opener(path)


def test_events_of_a_newer_version_are_not_guessed(tmp_path):
    path = store_path(tmp_path)
    EventStore.create(path).close()
    row = "1, 0, NULL, '2025-01-01T00:00:00.000000Z', '{}', x'00'"
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.execute(f"INSERT INTO events VALUES(1, 'Invented', {row})")
        plain.commit()
    with (
        EventStore.read_only(path) as store,
        pytest.raises(StoreError, match="unknown type 'Invented'; upgrade"),
    ):
        store.last()


def test_a_lock_of_another_program_is_reported_and_nothing_is_lost(tmp_path):
    path = store_path(tmp_path)
    with EventStore.create(path, patience=0.05) as store:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as plain:
            plain.execute("BEGIN IMMEDIATE")
            with pytest.raises(StoreError, match="locked by another program"):
                store.append([STOPPED])
            plain.execute("ROLLBACK")
        (event,) = store.append([STOPPED])
        assert event.seq == 1
    assert verify(path).events == 1


def append_for_ever(store, *, durable):
    while True:
        store.append([STOPPED] * 3, durable=durable)


@pytest.mark.parametrize("durable", [False, True])
def test_a_full_disk_is_reported_and_the_store_stays_whole(tmp_path, durable):
    path = store_path(tmp_path)
    with EventStore.create(path) as store:
        connection = store._database.conn
        connection.set_authorizer(None)
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count={pages + 20}")
        with pytest.raises(StoreError, match="does not fit on its disk"):
            append_for_ever(store, durable=durable)
        stored = store.count
        assert stored % 3 == 0
        connection.execute("PRAGMA max_page_count=100000")
        (event,) = store.append([STOPPED], durable=durable)
        assert event.seq == stored + 1
    assert verify(path).events == stored + 1
