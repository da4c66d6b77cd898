"""What a store held up to an event, as a document of digests.

It is a function of the stored rows and a salt, whichever version of the program reads
them. Nothing of target or finding can be read off it, so that it may be published: what
could be guessed, such as the name of a test, is digested behind the salt, which stays
in the store.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import InitVar, dataclass, field
from itertools import islice
from typing import Any, Final

from echidna_mcp.errors import UsageError
from echidna_mcp.events.chain import Row, canonical_json
from echidna_mcp.wording import listed

VERSION: Final = 1

_PARTS: Final[Mapping[str, tuple[str, ...]]] = {
    "commands": ("CommandAccepted", "CommandRefused"),
    "corpus": ("CorpusInherited", "CorpusExtended"),
    "coverage": ("CoverageIncreased",),
    "findings": ("PropertyFalsified", "ReproducerShrunk"),
    "outside": ("OutsideAnswered",),
}
"""Parts of the document, and the types of events of which each consists."""

_FINDINGS: Final = ("PropertyFalsified", "ReproducerShrunk")


@dataclass(slots=True)
class _Part:
    """Count and digest of some events: salt, and canonical payloads, a line each."""

    salt: InitVar[str]
    events: int = 0
    digest: Any = field(init=False)

    def __post_init__(self, salt: str) -> None:
        self.digest = hashlib.sha256(salt.encode())

    def add(self, payload: str) -> None:
        self.events += 1
        self.digest.update(payload.encode() + b"\n")

    def to_json(self) -> dict[str, Any]:
        return {"events": self.events, "sha256": self.digest.hexdigest()}


def new_salt() -> str:
    """Return a salt that nobody can guess: 32 hexadecimal digits.

    It decides no result of a campaign, and is stored with what it was used for.
    """
    return os.urandom(16).hex()


def campaign_document(
    rows: Iterable[tuple[Row, bytes]], events: int, salt: str
) -> dict[str, Any]:
    """Return what a store held up to an event.

    Args:
        rows: of the store, with their digests, from the first on.
        events: how many of them count.
        salt: what digests begin with, but for those of events.

    Raises:
        UsageError: there are not so many, or they are those of no campaign.
    """
    parts = {name: _Part(salt) for name in _PARTS}
    document: dict[str, Any] = {"version": VERSION, "kind": "campaign"}
    seq, head, last_round = 0, b"", 0
    for row, digest in rows:
        seq, head = row.seq, digest
        if row.type == "CampaignStarted":
            document |= _origin(row, digest, salt)
        if row.type == "RoundCommitted":
            last_round = row.round
        for name, types in _PARTS.items():
            if row.type in types:
                parts[name].add(row.payload)
        if seq == events:
            break
    if seq != events or "campaign" not in document:
        raise UsageError(f"There is no campaign with an event {events} in this store.")
    document |= {"events": events, "head": head.hex(), "rounds": last_round}
    document |= {name: part.to_json() for name, part in parts.items()}
    return document


def finding_document(
    rows: Iterable[tuple[Row, bytes]], test: str, salt: str, events: int | None = None
) -> dict[str, Any]:
    """Return what a store held when the newest reproducer of a test was found.

    Args:
        rows: of the store, with their digests, from the first on; gone through twice.
        test: name of a falsified property or assertion.
        salt: what digests begin with, but for those of events.
        events: how many rows count; None for all. A campaign that goes on finds newer
            reproducers, which what was sealed before knows nothing of.

    Raises:
        UsageError: the test was not falsified.
    """
    stored = list(islice(rows, events))
    found = None
    names = []
    for row, digest in stored:
        if row.type in _FINDINGS:
            payload = json.loads(row.payload)
            names.append(payload["property"])
            if payload["property"] == test:
                found = row.seq, digest, payload
    if found is None:
        known = listed(sorted(set(names)), "or")
        choice = f"choose {known}" if known else "none was"
        raise UsageError(f"No test {test!r} was falsified; {choice}.")
    seq, digest, payload = found
    document = campaign_document(stored, seq, salt)
    document["kind"] = "finding"
    document["finding"] = {
        "test": _sha256(payload["property"], salt),
        "event": seq,
        "digest": digest.hex(),
        "sequence": _sha256(canonical_json({"calls": payload["calls"]}), salt),
    }
    return document


def text_of(document: Mapping[str, Any]) -> str:
    """Return the one text of a document, of which the digest is taken."""
    return canonical_json(document)


def digest_of(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a document."""
    return _sha256(text_of(document))


def _origin(row: Row, digest: bytes, salt: str) -> dict[str, Any]:
    """Return what says which campaign it is, and how it would run again."""
    payload = json.loads(row.payload)
    config = payload["config"]
    return {
        "campaign": digest.hex(),
        "engine": payload.get("engine", ""),
        "program": _sha256(payload["programDigest"], salt),
        "started": _sha256(row.payload, salt),
        "seed": config.get("seed"),
        "workers": config.get("workers"),
    }


def _sha256(text: str, salt: str = "") -> str:
    return hashlib.sha256(f"{salt}{text}".encode()).hexdigest()
