"""Definitions that the documents of a directory share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from echidna_mcp.contracts.document import read_document
from echidna_mcp.errors import ContractDocumentError

_FILE = Path("schema", "definitions.json")
_SHARED = re.compile(r"(?:\.\./)*schema/definitions\.json#/definitions/(\w+)")
_LOCAL = re.compile(r"#/definitions/(\w+)")
_SCHEMAS = ("inputSchema", "outputSchema", "payloadSchema")


def shared_definitions(directory: Path) -> Mapping[str, Any]:
    """Return the definitions that documents of a directory may refer to, by name.

    Raises:
        ContractDocumentError: their file is there, but can't be read.
    """
    path = directory / _FILE
    definitions: Mapping[str, Any] = {}
    if path.exists():
        definitions = read_document(path).get("definitions", {})
    return definitions


def self_contained(
    document: Mapping[str, Any], shared: Mapping[str, Any], source: str
) -> dict[str, Any]:
    """Return a document whose schemas hold the shared definitions they refer to.

    Args:
        document: as it was read.
        shared: definitions by name.
        source: where it comes from, for messages.

    Raises:
        ContractDocumentError: it refers to a definition that is not there, or has one
            of the same name itself.
    """
    result = dict(document)
    for key in _SCHEMAS:
        schema = result.get(key)
        if isinstance(schema, dict):
            names: dict[str, None] = {}
            local = _localize(schema, names)
            _add_definitions(local, names, shared, source)
            result[key] = local
    return result


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
    source: str,
) -> None:
    """Copy shared definitions, and those they refer to, into a schema."""
    own = schema.get("definitions", {})
    found: dict[str, Any] = {}
    todo = list(names)
    while todo:
        name = todo.pop()
        if name not in shared:
            raise ContractDocumentError(f"{source}: no shared definition {name!r}.")
        if name in own:
            raise ContractDocumentError(
                f"{source}: definition {name!r} is both its own and shared."
            )
        if name not in found:
            found[name] = shared[name]
            todo += _LOCAL.findall(str(shared[name]))
    if found:
        schema["definitions"] = {**own, **dict(sorted(found.items()))}
