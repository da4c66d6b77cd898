"""The metadata that solc keeps with a contract.

Source: Solidity documentation, "Contract Metadata".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from echidna_mcp_plugins.compilers.bounded_json import parse_json


def metadata_of(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the contract metadata in an artifact, which may be JSON in JSON."""
    metadata = entry.get("metadata") or entry.get("rawMetadata") or {}
    if isinstance(metadata, str):
        try:
            metadata = parse_json(metadata.encode(), "The metadata of a contract")
        except ValueError:
            return {}
    return metadata if isinstance(metadata, Mapping) else {}


def compiler_of(entries: Iterable[Mapping[str, Any]]) -> str:
    """Return name and version of the compiler that made some artifacts."""
    versions = {
        str(metadata.get("compiler", {}).get("version", ""))
        for metadata in map(metadata_of, entries)
    }
    return " ".join(["solc", *sorted(versions - {""})])
