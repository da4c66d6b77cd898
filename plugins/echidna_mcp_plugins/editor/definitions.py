"""Tools as EditorMCP describes them, whichever dialect their documents are in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from echidna_mcp.contracts.toolspec import ToolSpec

_FIELDS: Final = ("description", "default", "enum", "minimum", "maximum")


def summary_of(spec: ToolSpec) -> dict[str, Any]:
    """Return what `mcp.tools.list` tells of a tool."""
    return {
        "id": spec.name,
        "name": spec.title,
        "description": _description(spec),
        "category": spec.category,
        "safetyLevel": spec.safety_level,
        "tier": spec.tier,
    }


def definition_of(spec: ToolSpec) -> dict[str, Any]:
    """Return what `mcp.tool.describe` tells of a tool: for one of ours its document."""
    definition = summary_of(spec)
    definition["inputs"] = _inputs(spec.input_schema)
    definition["outputs"] = _untitled(spec.output_schema.get("properties", {}))
    for key in ("notes", "examples"):
        if spec.meta.get(key):
            definition[key] = spec.meta[key]
    return definition


def _description(spec: ToolSpec) -> str:
    return spec.description.removesuffix(f" Notes: {spec.meta.get('notes')}")


def _inputs(schema: Mapping[str, Any]) -> dict[str, Any]:
    required = schema.get("required", ())
    return {
        name: _parameter(part, required=name in required)
        for name, part in schema.get("properties", {}).items()
    }


def _parameter(schema: Mapping[str, Any], *, required: bool) -> dict[str, Any]:
    """Return a parameter; that it may be null goes without saying if it is optional."""
    kind = schema.get("type", "object")
    if isinstance(kind, list):
        kind = next(each for each in kind if each != "null")
    parameter: dict[str, Any] = {"type": kind, "required": required}
    parameter |= {key: schema[key] for key in _FIELDS if key in schema}
    if "enum" in schema:
        parameter["enum"] = [each for each in schema["enum"] if each is not None]
    return parameter


def _untitled(value: Any) -> Any:
    """Return schemas without the names of types that generated code gave them."""
    if isinstance(value, Mapping):
        return {
            key: _untitled(item)
            for key, item in value.items()
            if key != "title" or not isinstance(item, str)
        }
    if isinstance(value, list):
        return [_untitled(item) for item in value]
    return value
