"""Checking evidence against a store, link by link, without a network."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echidna_mcp.campaign.verification import verify_campaign
from echidna_mcp.errors import EvidenceError, StoreTamperedError, UsageError
from echidna_mcp.events.store import EventStore, store_path
from echidna_mcp.evidence.certification import certifications, certified_text
from echidna_mcp.evidence.document import (
    campaign_document,
    digest_of,
    finding_document,
)
from echidna_mcp.evidence.file import evidence_text, read_evidence
from echidna_mcp.evidence.sealing import Sealed, salt_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echidna_mcp.evidence.certification import Certified


@dataclass(frozen=True, slots=True)
class Checked:
    """Evidence that holds.

    Attributes:
        sealed: the document.
        at: when it was sealed, UTC, by the clock of the machine that did it.
        certified: where it is certified, if it is.
    """

    sealed: Sealed
    at: str
    certified: Certified | None


def check_evidence(path: Path, directory: Path) -> Checked:
    """Check a file of evidence against the store of its campaign.

    The links, in order: *file* (it is as it was written), *store* (its chain is
    intact), *document* (the store gives the same one), *seal* (the store says so
    itself), *certification* (the store has the same one), *proof* (what was certified
    is the digest of the document). The first that is broken is told.

    Raises:
        EvidenceError: one is broken.
        StoreError: the store can't be read.
    """
    evidence = read_evidence(path)
    store_file = store_path(directory)
    try:
        verify_campaign(store_file)
    except StoreTamperedError as error:
        raise EvidenceError("store", error.message) from error
    with EventStore.read_only(store_file) as store:
        sealed, at = _check_document(store, evidence)
        certified = _check_certification(store, sealed, evidence)
    if path.read_bytes() != evidence_text(sealed, certified).encode():
        raise EvidenceError("file", f"The file {path} holds more than it should.")
    return Checked(sealed, at, certified)


def _check_document(
    store: EventStore, evidence: Mapping[str, Any]
) -> tuple[Sealed, str]:
    document, sha256 = evidence.get("document"), evidence.get("sha256")
    seals = {
        event.payload["sha256"]: event
        for event in store.read(types=("EvidenceSealed",))
    }
    seal = seals.get(str(sha256))
    if seal is None:
        raise EvidenceError(
            "seal",
            f"The store has sealed no document with the digest {str(sha256)[:64]}: the "
            "digest was changed, or the evidence is of another campaign.",
        )
    test, events = seal.payload.get("test"), seal.payload["events"]
    salt = salt_of(seal)
    try:
        again = (
            campaign_document(store.stored(), events, salt)
            if test is None
            else finding_document(store.stored(), test, salt, events)
        )
    except UsageError as error:
        raise EvidenceError("document", error.message) from error
    if document != again:
        raise EvidenceError(
            "document",
            f"The document does not say what the store holds: {_where(document, again)}"
            " differs.",
        )
    if digest_of(again) != sha256:
        raise EvidenceError("document", "The digest is not that of the document.")
    return Sealed(again, str(sha256), salt, test), seal.at


def _check_certification(
    store: EventStore, sealed: Sealed, evidence: Mapping[str, Any]
) -> Certified | None:
    given = evidence.get("certification")
    if given is None:
        return None
    transaction = given.get("transaction") if isinstance(given, dict) else None
    same = [
        each
        for each in certifications(store, sealed.sha256)
        if each.transaction == transaction
    ]
    if not same:
        raise EvidenceError(
            "certification",
            "The store knows of no certification of this document with that "
            "transaction.",
        )
    # Two chains may know one transaction, if both have the same id and wallet.
    certified = next((each for each in same if each.to_json() == given), same[-1])
    stored = certified.to_json()
    if given != stored:
        where = _where(given, stored)
        link = "proof" if where.startswith("proof") else "certification"
        raise EvidenceError(
            link, f"The {link} is not the one that the store has: {where} differs."
        )
    data = certified.proof.get("certified_data")
    try:
        text = bytes.fromhex(str(data)).decode()
    except ValueError:
        text = ""
    if text != certified_text(sealed.sha256):
        raise EvidenceError(
            "proof", "What was certified is not the digest of this document."
        )
    return certified


def _where(given: Any, expected: Any) -> str:
    """Return the first member in which two JSON values differ, as a dotted name."""
    if not isinstance(given, dict) or not isinstance(expected, dict):
        return "it"
    for key in sorted({*given, *expected}):
        one, two = given.get(key), expected.get(key)
        if json.dumps(one, sort_keys=True) != json.dumps(two, sort_keys=True):
            inner = _where(one, two)
            return key if inner == "it" else f"{key}.{inner}"
    return "it"
