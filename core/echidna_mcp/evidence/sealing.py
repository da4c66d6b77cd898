"""Sealing: the digest of a document becomes an event of its store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from echidna_mcp.events.event import NewEvent
from echidna_mcp.evidence.document import (
    campaign_document,
    digest_of,
    finding_document,
)

if TYPE_CHECKING:
    from echidna_mcp.events.payloads import EventType
    from echidna_mcp.events.store import EventStore

CERTIFICATION_EVENTS: tuple[EventType, ...] = (
    "EvidenceSealed",
    "CertificationSubmitted",
    "CertificationExecuted",
    "CertificationFailed",
)
"""Events that are about a campaign, and no part of it: documents end before them."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A document whose digest stands in its store.

    Attributes:
        document: JSON values; see `echidna_mcp.evidence.document`.
        sha256: its digest.
        test: the falsified test, if it is about one.
    """

    document: dict[str, Any]
    sha256: str
    test: str | None = None


def seal_campaign(store: EventStore) -> Sealed:
    """Seal all that a store holds of its campaign; again gives the same.

    Raises:
        UsageError: there is no campaign in it.
        StoreError: it can't be read or written.
    """
    document = campaign_document(store.stored(), _end(store))
    return _sealed(store, document, None)


def seal_findings(store: EventStore, tests: Sequence[str]) -> list[Sealed]:
    """Seal the newest reproducer of each of some falsified tests.

    Raises:
        UsageError: one was not falsified.
        StoreError: the store can't be read or written.
    """
    documents = [(test, finding_document(store.stored(), test)) for test in tests]
    return [_sealed(store, document, test) for test, document in documents]


def falsified_tests(store: EventStore) -> list[str]:
    """Return the names of the falsified tests of a campaign, in order of discovery."""
    falsified = store.read(types=("PropertyFalsified",))
    return list(dict.fromkeys(event.payload["property"] for event in falsified))


def _end(store: EventStore) -> int:
    """Return the last event that is no part of the evidence."""
    end = 0
    for row, _ in store.stored():
        if row.type not in CERTIFICATION_EVENTS:
            end = row.seq
    return end


def _sealed(store: EventStore, document: dict[str, Any], test: str | None) -> Sealed:
    sealed = Sealed(document, digest_of(document), test)
    known = store.read(types=("EvidenceSealed",))
    if all(event.payload["sha256"] != sealed.sha256 for event in known):
        payload = {
            "kind": document["kind"],
            "events": document["events"],
            "head": document["head"],
            "sha256": sealed.sha256,
        }
        if test is not None:
            payload["test"] = test
        append(store, "EvidenceSealed", payload)
    return sealed


def append(store: EventStore, kind: EventType, payload: dict[str, Any]) -> None:
    """Store an event behind the campaign, so that a loss of power can't take it."""
    last = store.last()
    event = NewEvent(
        type=kind, round=0 if last is None else last.round, payload=payload
    )
    store.append([event], durable=True)
