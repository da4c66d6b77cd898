"""The rules of results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from echidna_mcp.contracts.dialect import Finding, Place, error, warning
from echidna_mcp.contracts.document import wrong_with_schema
from echidna_mcp.tools.display import shown
from echidna_mcp.wording import listed
from echidna_mcp_plugins.dialects.editor.types import TYPES


def check_outputs(outputs: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is wrong with the results of a definition.

    Nested parts are ordinary JSON Schema, draft-07, and need no descriptions.
    """
    if not outputs:
        yield warning(("outputs",), "is empty; say what the tool gives.")
    for name, part in outputs.items():
        place = ("outputs", name)
        if not isinstance(part, Mapping):
            yield error(place, "must be an object with 'type' and 'description'.")
            continue
        type_name = part.get("type")
        if type_name not in TYPES:
            found = (
                "is missing" if type_name is None else f"{shown(type_name)} is no type"
            )
            yield error(
                (*place, "type"), f"{found}; choose from {listed(TYPES, 'or')}."
            )
        description = part.get("description")
        if not isinstance(description, str) or not description.strip():
            yield error(
                (*place, "description"), "must be there and say what the value is."
            )
        wrong = [] if type_name not in TYPES else list(wrong_with_schema(part, place))
        yield from wrong
        if not wrong:
            yield from _check_nested(part, place)
        if type_name == "array" and "items" not in part:
            yield warning(place, "is an array without 'items'; say what is in it.")
        if type_name == "object" and "properties" not in part:
            yield warning(place, "is an object without 'properties'; name them.")


def _check_nested(part: Mapping[str, Any], place: Place) -> Iterator[Finding]:
    type_name = part.get("type")
    if "items" in part and type_name != "array":
        yield error(
            (*place, "items"),
            f"is for arrays, and this is {shown(type_name)}; leave it out.",
        )
    items = part.get("items")
    if isinstance(items, Mapping):
        yield from _check_nested(items, (*place, "items"))
    properties = part.get("properties")
    if isinstance(properties, Mapping):
        for name, inner in properties.items():
            if isinstance(inner, Mapping):
                yield from _check_nested(inner, (*place, "properties", name))
