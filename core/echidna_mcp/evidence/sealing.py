"""Sealing: the digest of a document becomes an event of its store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from echidna_mcp.events.event import NewEvent
from echidna_mcp.evidence.document import (
    campaign_document,
    digest_of,
    finding_document,
    new_salt,
)

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event
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
        salt: what digests in it begin with; only the store may hold it.
        test: the falsified test, if it is about one.
    """

    document: dict[str, Any]
    sha256: str
    salt: str
    test: str | None = None


def seal_campaign(store: EventStore) -> Sealed:
    """Seal all that a store holds of its campaign; again gives the same.

    Raises:
        UsageError: there is no campaign in it.
        StoreError: it can't be read or written.
    """
    make = partial(campaign_document, list(store.stored()), _end(store))
    sealed = _as_before(store, None, make)
    _store(store, sealed)
    return sealed


def seal_findings(store: EventStore, tests: Sequence[str]) -> list[Sealed]:
    """Seal the newest reproducer of each of some falsified tests.

    Raises:
        UsageError: one was not falsified.
        StoreError: the store can't be read or written.
    """
    rows = list(store.stored())
    found = [
        _as_before(store, test, partial(finding_document, rows, test)) for test in tests
    ]
    for sealed in found:
        _store(store, sealed)
    return found


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


def salt_of(seal: Event) -> str:
    """Return the salt of a sealed document; empty if a seal of elsewhere has none."""
    return str(seal.payload.get("salt", ""))


def _as_before(
    store: EventStore, test: str | None, make: Callable[[str], dict[str, Any]]
) -> Sealed:
    """Return a document with the salt with which it was sealed, or else a new one.

    Args:
        store: of the campaign.
        test: the falsified test, if it is about one.
        make: makes the document with a salt.
    """
    salt = new_salt()
    document = make(salt)
    for seal in store.read(types=("EvidenceSealed",)):
        about = seal.payload.get("test"), seal.payload["events"]
        if about == (test, document["events"]):
            again = make(salt_of(seal))
            if digest_of(again) == seal.payload["sha256"]:
                return Sealed(again, digest_of(again), salt_of(seal), test)
    return Sealed(document, digest_of(document), salt, test)


def _store(store: EventStore, sealed: Sealed) -> None:
    """Store a seal, unless it is there."""
    known = store.read(types=("EvidenceSealed",))
    if any(event.payload["sha256"] == sealed.sha256 for event in known):
        return
    document = sealed.document
    payload = {name: document[name] for name in ("kind", "events", "head")}
    payload |= {"sha256": sealed.sha256, "salt": sealed.salt}
    if sealed.test is not None:
        payload["test"] = sealed.test
    append(store, "EvidenceSealed", payload)


def append(store: EventStore, kind: EventType, payload: dict[str, Any]) -> None:
    """Store an event behind the campaign, so that a loss of power can't take it."""
    last = store.last()
    event = NewEvent(
        type=kind, round=0 if last is None else last.round, payload=payload
    )
    store.append([event], durable=True)
