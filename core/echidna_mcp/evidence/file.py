"""The file of evidence: the document, its digest and its certification."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.errors import EvidenceError, UsageError
from echidna_mcp.events.chain import canonical_json

if TYPE_CHECKING:
    from echidna_mcp.evidence.certification import Certified
    from echidna_mcp.evidence.sealing import Sealed

FORMAT: Final = 1
DIRECTORY: Final = "evidence"


def evidence_text(sealed: Sealed, certified: Certified | None) -> str:
    """Return the one text of a file of evidence."""
    return (
        canonical_json(
            {
                "format": FORMAT,
                "document": sealed.document,
                "sha256": sealed.sha256,
                "certification": None if certified is None else certified.to_json(),
            }
        )
        + "\n"
    )


def write_evidence(campaign: Path, sealed: Sealed, certified: Certified | None) -> Path:
    """Write the file beside the store of a campaign, and return where it is.

    Its name is the digest of the document; of what is certified, the transaction.

    Raises:
        UsageError: it can't be written.
    """
    name = sealed.sha256 if certified is None else certified.transaction
    path = campaign / DIRECTORY / f"{name}.json"
    fresh = path.with_suffix(".new")
    try:
        path.parent.mkdir(exist_ok=True)
        fresh.write_text(evidence_text(sealed, certified), "utf-8")
        fresh.replace(path)
    except OSError as error:
        raise UsageError(
            f"The evidence {path} can't be written: {error.strerror}. It is sealed in "
            "the store; when that is mended, seal again."
        ) from error
    return path


def read_evidence(path: Path) -> dict[str, Any]:
    """Return what a file of evidence holds.

    Raises:
        EvidenceError: it is none, or not as it was written.
    """
    try:
        text = path.read_bytes().decode()
        evidence = json.loads(text)
        canonical = canonical_json(evidence) + "\n"
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise _broken(path, "can't be read as JSON") from error
    if not isinstance(evidence, dict) or evidence.get("format") != FORMAT:
        raise _broken(path, f"is no evidence of format {FORMAT}")
    if text != canonical:
        raise _broken(path, "is not as it was written")
    return evidence


def _broken(path: Path, what: str) -> EvidenceError:
    return EvidenceError("file", f"The file {path} {what}.")
