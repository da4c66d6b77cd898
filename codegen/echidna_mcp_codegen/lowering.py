"""From the schemas of many documents to one schema of named types.

The type generator sees only what decides a type. Constraints stay in the bundle, where
the tool service enforces them; several would mislead the generator (a `date-time`
would become a datetime, an `anyOf` of bare `required` three classes).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from echidna_mcp.contracts.naming import field_name
from echidna_mcp.errors import ContractDocumentError

_KEPT = frozenset(
    {
        "type",
        "title",
        "description",
        "required",
        "enum",
        "const",
        "default",
        "$ref",
        "minItems",
        "maxItems",
    }
)
_COMBINED = ("anyOf", "oneOf", "allOf")
_SHAPES = frozenset(
    {"type", "properties", "items", "enum", "const", "$ref", *_COMBINED}
)


def lower(
    schemas: Iterable[tuple[str, Mapping[str, Any]]], *, python_names: bool
) -> dict[str, Any]:
    """Return one schema whose definitions become classes, sorted by name.

    Args:
        schemas: pairs of a source, for messages, and a titled schema. Object schemas
            inside that have a title become classes of their own.
        python_names: rename properties to the fields of dataclasses.

    Raises:
        ContractDocumentError: two different types have one name, or two properties one
            field name.
    """
    lowering = _Lowering(python_names=python_names)
    for source, schema in schemas:
        lowering.add(source, schema)
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "definitions": dict(sorted(lowering.types.items())),
    }


class _Lowering:
    """Collects named types; `add` is the only way in."""

    def __init__(self, *, python_names: bool) -> None:
        self.types: dict[str, Any] = {}
        self._python_names = python_names
        self._source = ""

    def add(self, source: str, schema: Mapping[str, Any]) -> None:
        """Add a schema and everything named inside it."""
        self._source = source
        for name, definition in schema.get("definitions", {}).items():
            self._define(name, self._shape(definition))
        self._define(schema["title"], self._shape(schema))

    def _define(self, name: str, shape: dict[str, Any]) -> None:
        shape = {**shape, "title": name}
        if self.types.setdefault(name, shape) != shape:
            raise ContractDocumentError(
                f"{self._source}: another type is called {name!r} too; "
                "give one of them another title."
            )

    def _nested(self, schema: Any) -> Any:
        """Return a schema inside another; a titled object becomes a reference."""
        if not isinstance(schema, Mapping):
            return schema
        shape = self._shape(schema)
        if "title" not in shape:
            return shape
        if "properties" not in shape:
            # The title of a simple value names a field, not a class.
            return {key: value for key, value in shape.items() if key != "title"}
        self._define(shape["title"], shape)
        return {"$ref": f"#/definitions/{shape['title']}"}

    def _shape(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        shape = {key: value for key, value in schema.items() if key in _KEPT}
        if "properties" in schema or _is_closed(schema):
            properties = schema.get("properties", {})
            fields = self._fields(properties)
            shape["properties"] = {
                fields[name]: self._nested(value) for name, value in properties.items()
            }
            if "required" in shape:
                shape["required"] = [fields.get(n, n) for n in shape["required"]]
        else:
            shape.pop("required", None)
            if isinstance(schema.get("additionalProperties"), Mapping):
                values = self._nested(schema["additionalProperties"])
                shape["additionalProperties"] = values
        if "items" in schema:
            items = schema["items"]
            shape["items"] = (
                [self._nested(item) for item in items]
                if isinstance(items, list)
                else self._nested(items)
            )
        for key in _COMBINED:
            branches = [b for b in schema.get(key, ()) if _SHAPES & b.keys()]
            if branches:
                shape[key] = [self._nested(branch) for branch in branches]
        return shape

    def _fields(self, properties: Mapping[str, Any]) -> dict[str, str]:
        if not self._python_names:
            return {name: name for name in properties}
        fields = {name: field_name(name) for name in properties}
        if len(set(fields.values())) < len(fields):
            raise ContractDocumentError(
                f"{self._source}: two of the properties {', '.join(fields)} "
                "become the same field; rename one."
            )
        return fields


def _is_closed(schema: Mapping[str, Any]) -> bool:
    """Whether an object without properties takes none, and so is an empty class."""
    return (
        schema.get("type") == "object" and schema.get("additionalProperties") is False
    )
