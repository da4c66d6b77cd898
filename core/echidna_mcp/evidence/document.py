"""What a store held up to an event, as a document of digests.

It is a function of the stored rows alone, whichever version of the program reads them.
Nothing of target or finding can be read off it, so that it may be published.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
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
    """Count and digest of some events: their canonical payloads, a line each."""

    events: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def add(self, payload: str) -> None:
        self.events += 1
        self.digest.update(payload.encode() + b"\n")

    def to_json(self) -> dict[str, Any]:
        return {"events": self.events, "sha256": self.digest.hexdigest()}


def campaign_document(rows: Iterable[tuple[Row, bytes]], events: int) -> dict[str, Any]:
    """Return what a store held up to an event.

    Args:
        rows: of the store, with their digests, from the first on.
        events: how many of them count.

    Raises:
        UsageError: there are not so many, or they are those of no campaign.
    """
    parts = {name: _Part() for name in _PARTS}
    document: dict[str, Any] = {"version": VERSION, "kind": "campaign"}
    seq, head, last_round = 0, b"", 0
    for row, digest in rows:
        seq, head = row.seq, digest
        if row.type == "CampaignStarted":
            document |= _origin(row, digest)
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


def finding_document(rows: Iterable[tuple[Row, bytes]], test: str) -> dict[str, Any]:
    """Return what a store held when the newest reproducer of a test was found.

    Args:
        rows: of the store, with their digests, from the first on; gone through twice.
        test: name of a falsified property or assertion.

    Raises:
        UsageError: the test was not falsified.
    """
    stored = list(rows)
    found = None
    names = []
    for row, digest in stored:
        if row.type in _FINDINGS:
            payload = json.loads(row.payload)
            names.append(payload["property"])
            if payload["property"] == test:
                found = row.seq, digest, payload
    if found is None:
        known = listed(sorted(set(names)), "or") or "none was"
        raise UsageError(f"No test {test!r} was falsified; choose {known}.")
    seq, digest, payload = found
    document = campaign_document(stored, seq)
    document["kind"] = "finding"
    document["finding"] = {
        "test": _sha256(payload["property"]),
        "event": seq,
        "digest": digest.hex(),
        "sequence": _sha256(canonical_json({"calls": payload["calls"]})),
    }
    return document


def text_of(document: Mapping[str, Any]) -> str:
    """Return the one text of a document, of which the digest is taken."""
    return canonical_json(document)


def digest_of(document: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a document."""
    return _sha256(text_of(document))


def _origin(row: Row, digest: bytes) -> dict[str, Any]:
    """Return what says which campaign it is, and how it would run again."""
    payload = json.loads(row.payload)
    config = payload["config"]
    return {
        "campaign": digest.hex(),
        "engine": payload.get("engine", ""),
        "program": payload["programDigest"],
        "started": _sha256(row.payload),
        "seed": config.get("seed"),
        "workers": config.get("workers"),
    }


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
