"""From parameters and results of a definition to JSON Schema, draft-07."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_KEYWORDS: Final = ("type", "description", "default", "enum", "minimum", "maximum")
"""Fields of a parameter that are keywords of JSON Schema, too."""


def input_schema(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the arguments: a closed object."""
    return {
        "type": "object",
        "properties": {name: _parameter(each) for name, each in inputs.items()},
        "required": [name for name, each in inputs.items() if each["required"]],
        "additionalProperties": False,
    }


def output_schema(outputs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of the result: an object that may hold more."""
    return {"type": "object", "properties": dict(outputs)}


def closed(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema that takes no property which it does not name."""
    return {**schema, "additionalProperties": False}


def titled(schema: dict[str, Any], title: str) -> dict[str, Any]:
    """Return a schema whose objects have titles, which become names of types.

    An object inside is called after the property that leads to it, one in an array
    after the array, with `Item` at the end.
    """
    result = dict(schema)
    if isinstance(schema.get("properties"), Mapping):
        result["properties"] = {
            name: _titled_inside(inner, f"{title}{name[:1].upper()}{name[1:]}")
            for name, inner in schema["properties"].items()
        }
        result.setdefault("title", title)
    if isinstance(schema.get("items"), Mapping):
        result["items"] = titled(schema["items"], f"{title}Item")
    return result


def _titled_inside(schema: Any, title: str) -> Any:
    """Return a schema that stands in another: there it may also be true or false."""
    return titled(schema, title) if isinstance(schema, dict) else schema


def _parameter(parameter: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of one; null is a value if it is the default."""
    schema = {key: parameter[key] for key in _KEYWORDS if key in parameter}
    if "default" in parameter and parameter["default"] is None:
        schema["type"] = [parameter["type"], "null"]
        if "enum" in parameter:
            schema["enum"] = [*parameter["enum"], None]
    return schema
