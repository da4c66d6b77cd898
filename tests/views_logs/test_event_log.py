"""The ring of recent events that `read_logs` reads."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.views.event_log import CAPACITY, EventLog, brief, summary

TYPES = ["WorkerStarted", "TransactionExecuted", "CommandAccepted"]


def event(seq, type_="TransactionExecuted", worker=None, payload=None):
    return Event(
        seq=seq,
        type=type_,
        version=1,
        round=seq // 10,
        worker=worker,
        at=f"2025-12-20T10:30:45.{seq:06}Z",
        payload=payload or {"n": seq},
        digest=bytes(32),
    )


def test_an_entry_has_the_members_of_the_contract():
    log = EventLog()
    log.apply(event(12, worker=3))
    assert log.entries(1) == [
        {
            "timestamp": "2025-12-20T10:30:45.000012Z",
            "eventType": "TransactionExecuted",
            "workerId": 3,
            "data": {"n": 12},
            "seq": 12,
            "round": 1,
        }
    ]


def test_the_capacity_is_that_of_the_requirements():
    assert CAPACITY == 2500


def test_the_ring_drops_the_oldest():
    log = EventLog()
    assert (log.total, log.entries(10)) == (0, [])
    for seq in range(1, CAPACITY + 101):
        log.apply(event(seq))
        assert log.total == min(seq, CAPACITY)
    newest_first = [entry["seq"] for entry in log.entries(CAPACITY)]
    assert newest_first == list(range(CAPACITY + 100, 100, -1))


def test_filters_select_from_the_ring_and_what_is_rare_is_found_by_its_type():
    log = EventLog()
    log.apply(event(1, "PropertyFalsified"))
    for seq in range(2, CAPACITY + 3):
        log.apply(event(seq))
    assert 1 not in {entry["seq"] for entry in log.entries(CAPACITY)}
    assert log.entries(10, event_type="PropertyFalsified") == []
    assert [entry["seq"] for entry in log.of_type("PropertyFalsified", 10)] == [1]
    assert log.of_type("PropertyFalsified", 0) == log.of_type("Unheard", 10) == []


def test_a_brief_entry_says_what_the_event_is_about():
    log = EventLog()
    call = "transfer(0x0000000000000000000000000000000000010000, 1)"
    log.apply(event(1, payload={"call": call, "result": "STOP", "gasUsed": 1}))
    log.apply(event(2, "StopRequested", payload={"reason": "Killed"}))
    newest, oldest = map(brief, log.entries(2))
    assert oldest["data"] == {"call": "transfer(0x000000000000…", "result": "STOP"}
    assert newest["data"] == {}
    assert (newest["seq"], newest["eventType"]) == (2, "StopRequested")


def test_numbers_of_the_log_are_as_every_reader_takes_them():
    """Addresses are hexadecimal, amounts decimal text, and no number above 2^53."""
    config = CampaignConfig(seed=2**63, max_value=2**100, psender=0x10000)
    started = event(1, "CampaignStarted", payload={"config": config.to_json()})
    shown = summary(started)["config"]
    assert shown["seed"] == str(2**63)
    assert shown["max_value"] == str(2**100)
    assert shown["psender"] == "0x" + "10000".zfill(40)
    assert shown["senders"][2] == "0x" + "30000".zfill(40)
    assert shown["test_limit"] == 50_000
    assert shown["coverage"] is True


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(TYPES), st.none() | st.integers(0, 2)), max_size=40
    ),
    st.integers(1, 50),
    st.none() | st.sampled_from([*TYPES, "PropertyFalsified"]),
    st.none() | st.integers(0, 3),
    st.none() | st.integers(1, 45),
)
def test_filters_keep_the_newest_that_match(kinds, count, type_, worker, before):
    log = EventLog()
    events = [event(n, *kind) for n, kind in enumerate(kinds, 1)]
    for one in events:
        log.apply(one)
    expected = [
        one.seq
        for one in reversed(events)
        if type_ in (None, one.type) and worker in (None, one.worker or 0)
        if before is None or one.seq < before
    ][:count]
    found = log.entries(count, event_type=type_, worker_id=worker, before=before)
    assert [entry["seq"] for entry in found] == expected


def test_times_of_each_worker_grow_strictly_although_the_clock_is_set_back(tmp_path):
    ticks = iter([5000, 9000, 1000, 1000, 7000, 0])
    log = EventLog()
    with EventStore.create(store_path(tmp_path), clock=lambda: next(ticks)) as store:
        for number in range(6):
            for stored in store.append(
                [
                    NewEvent(
                        type="TransactionExecuted",
                        round=number,
                        worker=worker,
                        payload={},
                    )
                    for worker in (0, 1, 0)
                ]
            ):
                log.apply(stored)
    for worker in (0, 1):
        times = [e["timestamp"] for e in log.entries(100, worker_id=worker)]
        assert times == sorted(set(times), reverse=True)


def test_large_members_become_counts():
    started = event(
        1,
        "CampaignStarted",
        payload={"program": {"contracts": [{}, {}], "sources": []}, "engine": "1"},
    )
    assert summary(started) == {"programCount": 2, "engine": "1"}
    coverage = event(
        2,
        "CoverageIncreased",
        payload={
            "visited": [["aa", 0, [1, 2, 3]], ["bb", 1, [4]]],
            "results": [["aa", 3, "REVERT"]],
            "total": 4,
        },
    )
    assert summary(coverage) == {"visitedCount": 4, "resultsCount": 1, "total": 4}
    words = event(3, "DictionaryExtended", payload={"words": ["0x1"] * 9})
    assert summary(words) == {"wordsCount": 9}


def test_other_members_and_other_types_stay_as_they_are():
    payload = {"program": "p", "visited": [1], "calls": [{"a": 1}]}
    one = event(1, "TransactionExecuted", payload=payload)
    assert summary(one) == payload


def test_a_full_log_of_wide_coverage_stays_small():
    payload = {
        "visited": [["ab" * 32, 0, list(range(5000))]],
        "results": [["ab" * 32, n, "STOPPED"] for n in range(100)],
        "total": 5000,
    }
    log = EventLog()
    for seq in range(1, CAPACITY + 1):
        log.apply(event(seq, "CoverageIncreased", payload=payload))
    assert len(json.dumps(log.entries(CAPACITY))) < 200 * CAPACITY
