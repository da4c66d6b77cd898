"""A directory of contract documents, read and made self-contained.

Layout: `<tool>.json` in a dialect, and optionally `events/<event_type>.json`,
`error.json` and `schema/{tool.schema,event.schema,definitions}.json`. A schema may
refer to a shared definition by
`schema/definitions.json#/definitions/Name`, relative to its own file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echidna_mcp.contracts.bundle import meta_schemas
from echidna_mcp.contracts.dialect import Dialect
from echidna_mcp.contracts.document import misfits, parse_event, read_document
from echidna_mcp.contracts.naming import snake_case
from echidna_mcp.contracts.shared import self_contained, shared_definitions
from echidna_mcp.contracts.toolspec import ToolSpec
from echidna_mcp.errors import ContractDocumentError


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """Checked contract documents, sorted by name.

    Attributes:
        tools: what the documents of tools describe, by name.
        events: event documents by type.
        error: schema of the error envelope, or None.
        schemas: the meta-schemas, if the directory defines the dialect itself.
    """

    tools: Mapping[str, ToolSpec]
    events: Mapping[str, dict[str, Any]]
    error: dict[str, Any] | None
    schemas: Mapping[str, dict[str, Any]] | None


def read_documents(directory: Path, dialect: Dialect) -> Documents:
    """Read and check every contract document of a directory.

    Args:
        directory: holds them.
        dialect: that of the documents of tools.

    Raises:
        ContractDocumentError: there is none, or one is wrong; names file and field.
    """
    if not directory.is_dir():
        raise ContractDocumentError(f"{directory}: no such directory.")
    own = _read_meta_schemas(directory / "schema")
    shared = shared_definitions(directory)
    error_path = directory / "error.json"
    tools = {}
    for path in sorted(directory.glob("*.json")):
        if path != error_path:
            document = self_contained(read_document(path), shared, str(path))
            if own is not None:
                _check(document, own["tool"], path)
            spec = dialect.parse(document, str(path))
            _check_file_name(path, spec.name, spec.name)
            tools[spec.name] = spec
    events = {}
    for path in sorted((directory / "events").glob("*.json")):
        document = self_contained(read_document(path), shared, str(path))
        event = parse_event(document, str(path), (own or meta_schemas())["event"])
        _check_file_name(path, snake_case(event.type), event.type)
        document.pop(
            "$schema", None
        )  # It is for editors, and leads nowhere in a package.
        events[event.type] = document
    if not tools:
        raise ContractDocumentError(f"{directory}: holds no contract document.")
    return Documents(
        tools=tools,
        events=dict(sorted(events.items())),
        error=read_document(error_path) if error_path.exists() else None,
        schemas=own,
    )


def _read_meta_schemas(directory: Path) -> dict[str, dict[str, Any]] | None:
    paths = {kind: directory / f"{kind}.schema.json" for kind in ("tool", "event")}
    if not all(path.exists() for path in paths.values()):
        return None
    return {kind: read_document(path) for kind, path in paths.items()}


def _check(
    document: Mapping[str, Any], meta_schema: Mapping[str, Any], path: Path
) -> None:
    """Check a document against the meta-schema beside it.

    The dialect knows the one that was generated, which may be older.
    """
    for finding in misfits(document, meta_schema, ()):
        raise ContractDocumentError(f"{path}: {finding}")


def _check_file_name(path: Path, stem: str, name: str) -> None:
    if path.stem != stem:
        raise ContractDocumentError(
            f"{path}: describes {name!r}; call the file {stem}.json."
        )
