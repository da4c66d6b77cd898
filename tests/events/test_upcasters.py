"""Old stores stay readable: golden stores as they were written, and upcaster chains."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from pathlib import Path
from types import MappingProxyType

import pytest

from echidna_mcp.campaign.verification import verify
from echidna_mcp.errors import StoreError
from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.events.upcasters import UPCASTERS, newest_version, upcast

GOLDEN = Path(__file__).parent.parent / "golden"


@pytest.fixture(params=sorted(GOLDEN.glob("store_*.sql")), ids=lambda p: p.stem)
def golden(request, tmp_path):
    """An old store made again from its dump, and what it must hold."""
    path = store_path(tmp_path)
    with contextlib.closing(sqlite3.connect(path)) as plain:
        plain.executescript(request.param.read_text(encoding="utf-8"))
    expected = request.param.with_suffix(".json").read_text(encoding="utf-8")
    return path, json.loads(expected)


def test_golden_stores_verify_and_read_as_they_did(golden):
    path, expected = golden
    assert verify(path).head == expected["head"]
    with EventStore.read_only(path) as store:
        events = list(store.read())
    for event, old in zip(events, expected["events"], strict=True):
        assert (event.seq, event.type, event.round) == (
            old["seq"],
            old["type"],
            old["round"],
        )
        assert (event.worker, event.at) == (old["worker"], old["at"])
        assert (event.version, event.payload) == upcast(
            old["type"], old["version"], old["payload"]
        )


def test_golden_stores_can_be_continued(golden):
    path, expected = golden
    with EventStore.open(path) as store:
        (event,) = store.append(
            [NewEvent(type="CampaignResumed", round=1, payload={"n": 1})]
        )
        assert event.seq == len(expected["events"]) + 1
    assert verify(path, head=expected["head"]).events == event.seq


def rename_total(payload):
    return {
        **{k: v for k, v in payload.items() if k != "total"},
        "points": payload["total"],
    }


def add_codes(payload):
    return {**payload, "codes": len(payload["visited"])}


TABLE = MappingProxyType(
    {
        ("CoverageIncreased", 1): rename_total,
        ("CoverageIncreased", 2): add_codes,
        ("WorkerStopped", 1): lambda payload: payload,
    }
)


def test_a_chain_raises_old_events_on_read_and_leaves_the_store_alone(golden):
    path, expected = golden
    with EventStore.open(path, upcasters=TABLE) as store:
        (event,) = store.read(types=["CoverageIncreased"])
        others = [e for e in store.read() if e.type != "CoverageIncreased"]
        new = NewEvent(type="CoverageIncreased", round=2, payload={}, version=3)
        (newest,) = store.append([new])
        assert newest == store.last()
        old = NewEvent(type="CoverageIncreased", round=2, payload={}, version=2)
        with pytest.raises(StoreError, match="in version 3, not 2"):
            store.append([old])
    (before,) = (e for e in expected["events"] if e["type"] == "CoverageIncreased")
    assert event.version == 3
    assert event.payload["points"] == before["payload"]["total"]
    assert event.payload["codes"] == len(before["payload"]["visited"])
    assert "total" not in event.payload
    assert {e.version for e in others} == {1}
    assert verify(path, head=expected["head"]).events == len(expected["events"]) + 1


def test_events_newer_than_the_program_are_refused(golden):
    path, _ = golden
    new = NewEvent(type="CoverageIncreased", round=2, payload={}, version=3)
    with EventStore.open(path, upcasters=TABLE) as store:
        store.append([new])
    with (
        EventStore.read_only(path) as store,
        pytest.raises(StoreError, match="of version 3, which this version"),
    ):
        store.last()


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_chain_starts_at_the_version_of_the_event(version):
    payloads = {
        1: {"total": 4, "visited": []},
        2: {"points": 4, "visited": []},
        3: {"points": 4, "visited": [], "codes": 0},
    }
    raised = upcast("CoverageIncreased", version, payloads[version], TABLE)
    assert raised == (3, payloads[3])


def test_the_table_has_no_gaps():
    for type_, version in UPCASTERS:
        assert version < newest_version(type_), f"{type_} lacks a step below {version}"
