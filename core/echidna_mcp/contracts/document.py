"""Our dialect: from a contract document to a `ToolSpec` or an `EventSpec`.

`contracts/schema/tool.schema.json` says what a document looks like. Its rule that a
tool name matches `^[a-z_]+$` belongs to this dialect; other dialects have their own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jsonschema import Draft7Validator
from jsonschema.exceptions import SchemaError, ValidationError

from echidna_mcp.contracts.eventspec import EventSpec
from echidna_mcp.contracts.toolspec import ToolExample, ToolSpec
from echidna_mcp.errors import ContractDocumentError

if TYPE_CHECKING:
    from pathlib import Path


def read_document(path: Path) -> dict[str, Any]:
    """Read a JSON object from a file.

    Raises:
        ContractDocumentError: the file is unreadable, no JSON object, or names a
            property twice.
    """
    try:
        document = json.loads(
            path.read_text(encoding="utf-8"), object_pairs_hook=_unique
        )
    except (OSError, ValueError) as error:
        raise ContractDocumentError(f"{path}: can't be read: {error}.") from error
    if not isinstance(document, dict):
        raise ContractDocumentError(f"{path}: must hold a JSON object.")
    return document


def parse_tool(
    document: Mapping[str, Any], source: str, meta_schema: Mapping[str, Any]
) -> ToolSpec:
    """Return the tool that a document describes.

    Args:
        document: the document, with every `$ref` inside itself.
        source: where it comes from, for messages.
        meta_schema: `contracts/schema/tool.schema.json`.

    Raises:
        ContractDocumentError: the document breaks the meta-schema, a schema in it is
            not valid draft-07, or an example is not valid; names document and field.
    """
    _check(document, meta_schema, source, ())
    for key in ("inputSchema", "outputSchema"):
        _check_schema(document[key], source, key)
    for index, example in enumerate(document["examples"]):
        for key in ("input", "output"):
            path = ("examples", index, key)
            _check(example[key], document[f"{key}Schema"], source, path)
    return ToolSpec(
        name=document["name"],
        title=document["title"],
        description=document["description"],
        category=document["category"],
        safety_level=document["safetyLevel"],
        tier=document["tier"],
        input_schema=_undeclared(document["inputSchema"]),
        output_schema=_undeclared(document["outputSchema"]),
        errors=tuple(document["errors"]),
        examples=tuple(
            ToolExample(input=example["input"], output=example["output"])
            for example in document["examples"]
        ),
        timeout_ms=document["timeoutMs"],
        idempotent=document.get("idempotent", False),
        open_world=document.get("openWorld", False),
    )


def parse_event(
    document: Mapping[str, Any], source: str, meta_schema: Mapping[str, Any]
) -> EventSpec:
    """Return the event type that a document describes.

    Args:
        document: the document, with every `$ref` inside itself.
        source: where it comes from, for messages.
        meta_schema: `contracts/schema/event.schema.json`.

    Raises:
        ContractDocumentError: as `parse_tool`.
    """
    _check(document, meta_schema, source, ())
    _check_schema(document["payloadSchema"], source, "payloadSchema")
    for index, example in enumerate(document["examples"]):
        _check(example, document["payloadSchema"], source, ("examples", index))
    return EventSpec(
        type=document["type"],
        version=document["version"],
        description=document["description"],
        payload_schema=_undeclared(document["payloadSchema"]),
        examples=tuple(document["examples"]),
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs as a dict; a repeated name would hide a part silently."""
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"property {double!r} is given twice")
    return result


def _undeclared(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "$schema"}


def _check(
    value: Any, schema: Mapping[str, Any], source: str, at: Sequence[str | int]
) -> None:
    errors: Iterator[ValidationError] = Draft7Validator(schema).iter_errors(value)
    error = min(errors, key=_depth, default=None)
    if error is not None:
        path = _path((*at, *error.absolute_path))
        raise ContractDocumentError(f"{source}: {path}: {error.message}.")


def _check_schema(schema: Mapping[str, Any], source: str, key: str) -> None:
    try:
        Draft7Validator.check_schema(schema)
    except SchemaError as error:
        path = _path((key, *error.absolute_path))
        raise ContractDocumentError(
            f"{source}: {path}: not a draft-07 schema: {error.message}."
        ) from error
    for at, target in _references(schema, (key,)):
        if not _resolves(schema, target):
            raise ContractDocumentError(
                f"{source}: {_path(at)}: {target!r} names no definition."
            )


def _references(
    schema: Any, path: tuple[str | int, ...]
) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield path, schema["$ref"]
        for key, value in schema.items():
            if key not in {"default", "enum", "const", "examples"}:
                yield from _references(value, (*path, key))
    elif isinstance(schema, list):
        for index, value in enumerate(schema):
            yield from _references(value, (*path, index))


def _resolves(schema: Mapping[str, Any], target: str) -> bool:
    prefix = "#/definitions/"
    name = target.removeprefix(prefix)
    return target.startswith(prefix) and name in schema.get("definitions", {})


def _depth(error: ValidationError) -> tuple[int, str]:
    """Order errors so that the outermost comes first, independent of the schema."""
    return len(error.absolute_path), error.json_path


def _path(path: Sequence[str | int]) -> str:
    text = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in path)
    return text.removeprefix(".") or "document"
