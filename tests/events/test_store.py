"""What an event store promises to its writer and its readers."""

from __future__ import annotations

import threading
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.campaign.verification import verify
from echidna_mcp.errors import StoreError
from echidna_mcp.events.chain import GENESIS, Row, canonical_json, link
from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.store import EventStore, store_path


def new(number, worker=None, type_="TransactionExecuted"):
    return NewEvent(type=type_, round=number, worker=worker, payload={"n": number})


@pytest.fixture
def path(tmp_path):
    return store_path(tmp_path / "corpus")


def test_appended_events_are_what_a_later_read_gives(path):
    with EventStore.create(path) as store:
        first = store.append([new(1, worker=0), new(2)])
        second = store.append([new(3, worker=7)], durable=True)
        assert tuple(store.read()) == first + second
    with EventStore.open(path) as store:
        assert tuple(store.read()) == first + second
        assert store.last() == second[-1]
        assert store.count == 3
    with EventStore.read_only(path) as store:
        assert tuple(store.read()) == first + second


def test_appended_payloads_are_not_those_that_the_caller_holds(path):
    payload = {"calls": [(1, 2)]}
    with EventStore.create(path) as store:
        (event,) = store.append(
            [NewEvent(type="CorpusExtended", round=1, payload=payload)]
        )
        payload["calls"].append((3, 4))
        assert event.payload == {"calls": [[1, 2]]}
        assert next(store.read()) == event


def test_sequence_is_dense_and_each_digest_covers_the_previous_one(path):
    with EventStore.create(path) as store:
        events = store.append([new(n, worker=n % 3 or None) for n in range(5)])
    digest = GENESIS
    for seq, event in enumerate(events, 1):
        row = Row(
            seq,
            event.type,
            event.version,
            event.round,
            event.worker,
            event.at,
            canonical_json(event.payload),
        )
        digest = link(digest, row)
        assert (event.seq, event.digest) == (seq, digest)


def test_an_empty_append_stores_nothing(path):
    with EventStore.create(path) as store:
        assert store.append([]) == ()
        assert (store.count, store.last(), list(store.read())) == (0, None, [])


def test_one_bad_event_keeps_the_whole_commit_out(path):
    with EventStore.create(path) as store:
        store.append([new(1)])
        bad = NewEvent(type="RoundCommitted", round=1, payload={"x": float("nan")})
        with pytest.raises(StoreError, match="RoundCommitted event can't be stored"):
            store.append([new(2), bad])
        (event,) = store.append([new(3)])
        assert event.seq == 2
    assert verify(path).events == 2


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        ({"x": float("inf")}, "not JSON compliant"),
        ({"x": b"bytes"}, "not JSON serializable"),
        ({"x": {1, 2}}, "not JSON serializable"),
        ({"x": "\ud800"}, "surrogates not allowed"),
    ],
)
def test_payloads_that_are_no_json_are_refused(path, payload, why):
    event = NewEvent(type="CampaignStopped", round=0, payload=payload)
    with EventStore.create(path) as store:
        with pytest.raises(StoreError, match=why):
            store.append([event])
        assert store.count == 0


def test_unknown_types_and_old_versions_are_not_written(path):
    with EventStore.create(path) as store:
        with pytest.raises(StoreError, match="no event type 'Renamed'"):
            store.append([new(1, type_="Renamed")])
        old = NewEvent(type="WorkerStarted", round=0, payload={}, version=2)
        with pytest.raises(StoreError, match="must be written in version 1, not 2"):
            store.append([old])


@pytest.mark.parametrize("total", [0, 1, 511, 512, 513, 1100])
def test_reads_page_through_any_number_of_events(path, total):
    with EventStore.create(path) as store:
        store.append([new(n) for n in range(total)])
        assert [e.seq for e in store.read()] == list(range(1, total + 1))
        assert [e.seq for e in store.read(after=total - 1)] == [total][: total or 0]
        assert len(list(store.read(limit=512))) == min(total, 512)
        assert len(list(store.read(limit=513))) == min(total, 513)
        assert list(store.read(limit=0)) == []
        assert list(store.read(after=total)) == []


def test_reads_filter_by_type_across_pages(path):
    kinds = ["WorkerStarted", "RoundCommitted", "CommandAccepted"]
    with EventStore.create(path) as store:
        events = store.append([new(n, type_=kinds[n % 3]) for n in range(2000)])
        for wanted in ([], kinds[:1], kinds[:2], kinds):
            expected = [e for e in events if e.type in wanted]
            assert list(store.read(types=wanted)) == expected
        assert [e.seq for e in store.read(after=4, limit=2, types=kinds[:1])] == [7, 10]


def test_events_committed_during_an_iteration_are_met(path):
    with EventStore.create(path) as store:
        store.append([new(n) for n in range(512)])
        seen = []
        for event in store.read():
            seen.append(event.seq)
            if event.seq == 1:
                store.append([new(0)])
        assert seen == list(range(1, 514))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 10**12), min_size=1, max_size=12), st.integers(1, 4))
def test_times_grow_strictly_whatever_the_clock_does(tmp_path_factory, ticks, batch):
    path = store_path(tmp_path_factory.mktemp("clock"))
    clock = iter(ticks)
    store = EventStore.create(path, clock=lambda: 1_700_000_000 * 10**9 + next(clock))
    with store:
        for index, _ in enumerate(ticks):
            store.append([new(index, worker=n) for n in range(batch)])
        events = list(store.read())
    times = [datetime.fromisoformat(event.at) for event in events]
    assert all(one < two for one, two in pairwise(times))
    assert all(event.at.endswith("Z") and len(event.at) == 27 for event in events)


def test_a_clock_set_back_between_two_runs_does_not_turn_time_back(path):
    late = 1_800_000_000 * 10**9
    with EventStore.create(path, clock=lambda: late) as store:
        (before,) = store.append([new(1)])
    with EventStore.open(path, clock=lambda: 0) as store:
        (after,) = store.append([new(2)])
    assert before.at == "2027-01-15T08:00:00.000000Z"
    assert after.at == "2027-01-15T08:00:00.000001Z"


def test_the_real_clock_is_utc(path):
    with EventStore.create(path) as store:
        (event,) = store.append([new(1)])
    age = datetime.now().astimezone() - datetime.fromisoformat(event.at)
    assert timedelta(0) <= age < timedelta(minutes=1)


def test_threads_share_the_writer(path):
    def write(store, worker):
        for number in range(40):
            durable = worker == 0 and number % 10 == 0
            store.append([new(number, worker=worker)] * 3, durable=durable)

    with EventStore.create(path) as store:
        threads = [threading.Thread(target=write, args=(store, w)) for w in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            seqs = [event.seq for event in store.read()]
            assert seqs == list(range(1, len(seqs) + 1))
        for thread in threads:
            thread.join()
        events = list(store.read())
    for worker in range(4):
        rounds = [event.round for event in events if event.worker == worker]
        assert rounds == [n for n in range(40) for _ in range(3)]
    assert verify(path).events == 480


def test_readers_see_whole_commits_while_a_writer_writes(path):
    with EventStore.create(path) as writer, EventStore.read_only(path) as reader:
        seen = 0
        for number in range(30):
            writer.append([new(number)] * 10)
            fresh = list(reader.read(after=seen))
            assert [event.seq for event in fresh] == list(range(seen + 1, seen + 11))
            seen += 10
            assert reader.count == seen
            assert reader.last() == fresh[-1]


def test_readers_work_without_a_writer_and_do_not_write(path):
    with EventStore.create(path) as store:
        store.append([new(1)])
    with (
        EventStore.read_only(path) as one,
        EventStore.read_only(path) as two,
        EventStore.open(path) as writer,
    ):
        writer.append([new(2)])
        assert one.count == two.count == 2
        with pytest.raises(StoreError, match="opened for reading only"):
            one.append([new(3)])


def test_a_store_with_events_is_not_created_again(path):
    EventStore.create(path).close()
    with EventStore.create(path) as store:
        store.append([new(1)])
    with pytest.raises(StoreError, match="already holds a campaign of 1 events"):
        EventStore.create(path)
    with EventStore.open(path) as store:
        assert store.count == 1


def test_a_closed_store_says_so(path):
    store = EventStore.create(path)
    store.close()
    store.close()
    for use in (lambda: store.append([new(1)]), store.last, lambda: list(store.read())):
        with pytest.raises(StoreError, match="is closed"):
            use()


def test_a_commit_that_need_not_be_durable_does_not_sync(path):
    with EventStore.create(path) as store:
        statements = []
        store._database.conn.set_trace_callback(statements.append)
        (level,) = store._database.conn.execute("PRAGMA synchronous").fetchone()
        store.append([new(1)], durable=True)
        store.append([new(2)])
        store.append([new(3)], durable=True)
        store._database.conn.set_trace_callback(None)
    steps = [s for s in statements if not s.startswith(("INSERT", "--"))]
    full = 2
    assert level == full
    assert steps == [
        "PRAGMA synchronous",
        "BEGIN IMMEDIATE",
        "COMMIT",
        "PRAGMA synchronous=NORMAL",
        "BEGIN IMMEDIATE",
        "COMMIT",
        "PRAGMA synchronous=FULL",
        "BEGIN IMMEDIATE",
        "COMMIT",
    ]
