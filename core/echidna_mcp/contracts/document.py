"""Contract documents as JSON, and the checks that all dialects share."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jsonschema import Draft7Validator
from jsonschema.exceptions import SchemaError, ValidationError

from echidna_mcp.contracts.dialect import Finding, pointer
from echidna_mcp.contracts.eventspec import EventSpec
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
            path.read_text(encoding="utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_no_number,
        )
    except (OSError, ValueError, RecursionError) as error:
        raise ContractDocumentError(f"{path}: can't be read: {error}.") from error
    if not isinstance(document, dict):
        raise ContractDocumentError(f"{path}: must hold a JSON object.")
    return document


def parse_event(
    document: Mapping[str, Any], source: str, meta_schema: Mapping[str, Any]
) -> EventSpec:
    """Return the event type that a document describes.

    Args:
        document: the document, with every `$ref` inside itself.
        source: where it comes from, for messages.
        meta_schema: `contracts/schema/event.schema.json`.

    Raises:
        ContractDocumentError: the document breaks the meta-schema, its schema is not
            valid draft-07, or an example is not valid; names document and field.
    """
    for finding in _wrong_with_event(document, meta_schema):
        raise ContractDocumentError(f"{source}: {finding}")
    return EventSpec(
        type=document["type"],
        version=document["version"],
        description=document["description"],
        payload_schema=undeclared(document["payloadSchema"]),
        examples=tuple(document["examples"]),
    )


def _wrong_with_event(
    document: Mapping[str, Any], meta_schema: Mapping[str, Any]
) -> Iterator[Finding]:
    yield from misfits(document, meta_schema, ())
    schema = document["payloadSchema"]
    yield from wrong_with_schema(schema, ("payloadSchema",))
    for index, example in enumerate(document["examples"]):
        yield from misfits(example, schema, ("examples", index))


def undeclared(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema that does not say which dialect of JSON Schema it is in."""
    return {key: value for key, value in schema.items() if key != "$schema"}


def misfits(
    value: Any, schema: Mapping[str, Any], at: Sequence[str | int]
) -> Iterator[Finding]:
    """Yield where a value does not fit a draft-07 schema, the outermost first.

    Args:
        at: where in its document the value stands.
    """
    errors = sorted(Draft7Validator(schema).iter_errors(value), key=_depth)
    for error in errors:
        place = pointer((*at, *error.absolute_path))
        yield Finding(pointer=place, message=f"{error.message}.")


def wrong_with_schema(
    schema: Mapping[str, Any], at: Sequence[str | int]
) -> Iterator[Finding]:
    """Yield why a schema is no draft-07 schema that stands for itself."""
    try:
        Draft7Validator.check_schema(schema)
    except SchemaError as error:
        wrong = _innermost(error)
        yield Finding(
            pointer=pointer((*at, *wrong.absolute_path)),
            message=f"not a draft-07 schema: {wrong.message}.",
        )
        return
    for place, target in _references(schema, tuple(at)):
        if not _resolves(schema, target):
            yield Finding(
                pointer=pointer(place), message=f"{target!r} names no definition."
            )


def _innermost(error: SchemaError) -> SchemaError | ValidationError:
    """Return why the best of several alternatives does not fit either."""
    found: SchemaError | ValidationError = error
    while found.context:
        found = max(found.context, key=lambda inner: len(inner.absolute_path))
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the pairs as a dict; a repeated name would hide a part silently."""
    result = dict(pairs)
    if len(result) < len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"property {double!r} is given twice")
    return result


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is not JSON; write a finite number")


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
