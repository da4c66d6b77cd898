"""From a contract to the tool that it describes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from echidna_mcp.contracts.dialect import Document
from echidna_mcp.contracts.naming import class_name
from echidna_mcp.contracts.toolspec import ToolExample, ToolSpec
from echidna_mcp_plugins.dialects.circular.contract import REDACT, arguments_of

FAMILY: Final = "circular"

_TIMEOUT_MS: Final = 20_000
_POLLING_TIMEOUT_MS: Final = 65_000
"""Twelve polls, five seconds apart, and a little: of tools that can wait."""
_WAITS: Final = "wait_for_execution"
_EVERYWHERE: Final = ("API_UNAVAILABLE", "NETWORK_ERROR", "INVALID_INPUT")
"""Types of errors with which each tool can fail, also if its contract does not say."""


def read(document: Document) -> ToolSpec:
    """Return the tool that a contract without errors describes.

    A contract does not say whether its tool changes something: those whose names begin
    with `get_` don't.
    """
    name = document["title"]
    reads = name.startswith("get_")
    waits = _WAITS in document["properties"]
    types = [error["type"] for error in document["errors"]]
    return ToolSpec(
        name=name,
        title=" ".join(word.capitalize() for word in name.split("_")),
        description=document["description"],
        category="certification",
        safety_level="read-only" if reads else "safe-write",
        tier="core",
        input_schema=_schema(arguments_of(document), f"{class_name(name)}Input"),
        output_schema=_schema(document["output"], f"{class_name(name)}Output"),
        errors=tuple(dict.fromkeys((*types, *_EVERYWHERE))),
        # Contracts have examples of arguments alone.
        examples=tuple(
            ToolExample(input=each, output=None) for each in document["examples"]
        ),
        timeout_ms=_POLLING_TIMEOUT_MS if waits else _TIMEOUT_MS,
        idempotent=reads,
        open_world=True,
        family=FAMILY,
        redacted=_redacted(document["properties"])
        + _redacted(document["output"]["properties"]),
        needs_campaign=False,
        meta={
            "errors": document["errors"],
            **({"notes": document["notes"]} if document.get("notes") else {}),
        },
    )


def _schema(schema: Mapping[str, Any], title: str) -> dict[str, Any]:
    """Return a schema for clients and for the generator of types."""
    return {
        **{
            key: value
            for key, value in schema.items()
            if key not in {"$schema", "$id", "examples"}
        },
        "title": title,
        "properties": {
            name: {key: value for key, value in part.items() if key != REDACT}
            for name, part in schema["properties"].items()
        },
    }


def _redacted(properties: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name, part in properties.items() if part.get(REDACT))
