"""Every JSON value survives the store, and has one canonical text."""

from __future__ import annotations

import json
import random

from hypothesis import given, settings
from hypothesis import strategies as st

from echidna_mcp.campaign.verification import verify
from echidna_mcp.events.chain import Row, canonical_json, link
from echidna_mcp.events.event import NewEvent
from echidna_mcp.events.store import EventStore, store_path

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**256), 2**256)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4)
    ),
    max_leaves=20,
)
PAYLOADS = st.dictionaries(TEXT, VALUES, max_size=5)


@settings(deadline=None, max_examples=60)
@given(st.lists(PAYLOADS, min_size=1, max_size=5))
def test_payloads_survive_a_round_trip(tmp_path_factory, payloads):
    path = store_path(tmp_path_factory.mktemp("payloads"))
    with EventStore.create(path) as store:
        appended = store.append(
            [NewEvent(type="RoundCommitted", round=1, payload=p) for p in payloads]
        )
    with EventStore.read_only(path) as store:
        events = tuple(store.read())
    assert events == appended
    assert [event.payload for event in events] == payloads
    assert verify(path).head == events[-1].digest.hex()


@given(PAYLOADS, st.randoms(use_true_random=False))
def test_the_order_of_members_does_not_matter(payload, rng: random.Random):
    members = list(payload.items())
    rng.shuffle(members)
    assert canonical_json(dict(members)) == canonical_json(payload)


@given(PAYLOADS)
def test_canonical_text_is_json_and_its_own_canonical_text(payload):
    text = canonical_json(payload)
    assert json.loads(text) == payload
    assert canonical_json(json.loads(text)) == text


ROWS = st.builds(
    Row,
    st.integers(1, 100),
    st.sampled_from(["A", 'A",1', "B"]),
    st.integers(1, 3),
    st.integers(0, 100),
    st.none() | st.integers(0, 3),
    st.sampled_from(["2025-12-20T10:30:45.000000Z", "2025-12-20T10:30:45.000001Z"]),
    PAYLOADS.map(canonical_json),
)


@given(ROWS, ROWS)
def test_different_rows_have_different_digests(one, two):
    assert (link(bytes(32), one) == link(bytes(32), two)) == (one == two)


@given(ROWS, st.binary(min_size=32, max_size=32))
def test_the_digest_depends_on_the_previous_one(row, previous):
    assert (link(previous, row) == link(bytes(32), row)) == (previous == bytes(32))


def test_the_digest_is_the_documented_one():
    row = Row(7, "WorkerStarted", 1, 2, None, "2025-12-20T10:30:45.000000Z", '{"a":1}')
    # printf '\0…\0[7,"WorkerStarted",1,2,null,"2025-12-20T10:30:45.000000Z",{"a":1}]'
    # | sha256sum
    assert link(bytes(32), row).hex() == (
        "db2abea6b688a5145fd38a2a5f3603f8112a093f95d2726198ff87fd868c2603"
    )
