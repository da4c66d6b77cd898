"""A directory of contract documents, read and made self-contained.

Layout: `<tool>.json` in a dialect, and optionally `events/<event_type>.json`,
`error.json` and `schema/{tool.schema,event.schema,definitions}.json`. A schema may
refer to a shared definition by
`schema/definitions.json#/definitions/Name`, relative to its own file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echidna_mcp.contracts.bundle import meta_schemas
from echidna_mcp.contracts.dialect import Dialect
from echidna_mcp.contracts.document import misfits, parse_event, read_document
from echidna_mcp.contracts.naming import snake_case
from echidna_mcp.contracts.toolspec import ToolSpec
from echidna_mcp.errors import ContractDocumentError

_SHARED = re.compile(r"(?:\.\./)*schema/definitions\.json#/definitions/(\w+)")
_LOCAL = re.compile(r"#/definitions/(\w+)")


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
    shared = _read_definitions(directory / "schema" / "definitions.json")
    error_path = directory / "error.json"
    tools = {}
    for path in sorted(directory.glob("*.json")):
        if path != error_path:
            document = _self_contained(path, shared)
            if own is not None:
                _check(document, own["tool"], path)
            spec = dialect.parse(document, str(path))
            _check_file_name(path, spec.name, spec.name)
            tools[spec.name] = spec
    events = {}
    for path in sorted((directory / "events").glob("*.json")):
        document = _self_contained(path, shared)
        event = parse_event(document, str(path), (own or meta_schemas())["event"])
        _check_file_name(path, snake_case(event.type), event.type)
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


def _read_definitions(path: Path) -> Mapping[str, Any]:
    definitions: Mapping[str, Any] = {}
    if path.exists():
        definitions = read_document(path).get("definitions", {})
    return definitions


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


def _self_contained(path: Path, shared: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document whose schemas hold the shared definitions they refer to."""
    document = read_document(path)
    document.pop("$schema", None)
    for key in ("inputSchema", "outputSchema", "payloadSchema"):
        schema = document.get(key)
        if isinstance(schema, dict):
            names: dict[str, None] = {}
            schema = _localize(schema, names)
            _add_definitions(schema, names, shared, path)
            document[key] = schema
    return document


def _localize(value: Any, names: dict[str, None]) -> Any:
    """Return a schema with shared references made local; collect their names."""
    if isinstance(value, list):
        return [_localize(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    result = {key: _localize(item, names) for key, item in value.items()}
    match = _SHARED.fullmatch(str(result.get("$ref", "")))
    if match:
        names[match[1]] = None
        result["$ref"] = f"#/definitions/{match[1]}"
    return result


def _add_definitions(
    schema: dict[str, Any],
    names: Mapping[str, None],
    shared: Mapping[str, Any],
    path: Path,
) -> None:
    """Copy shared definitions, and those they refer to, into a schema."""
    own = schema.get("definitions", {})
    found: dict[str, Any] = {}
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in shared:
            raise ContractDocumentError(f"{path}: no shared definition {name!r}.")
        if name in own:
            raise ContractDocumentError(
                f"{path}: definition {name!r} is both its own and shared."
            )
        if name not in found:
            found[name] = shared[name]
            todo += _LOCAL.findall(str(shared[name]))
    if found:
        schema["definitions"] = {**own, **dict(sorted(found.items()))}
