"""From a definition to the tool that it describes."""

from __future__ import annotations

from typing import Any, Final

from echidna_mcp.contracts.dialect import Document
from echidna_mcp.contracts.naming import class_name, identifier
from echidna_mcp.contracts.toolspec import ToolExample, ToolSpec
from echidna_mcp_plugins.dialects.editor.schemas import (
    input_schema,
    output_schema,
    titled,
)

FAMILY: Final = "editor"
ERRORS: Final = (
    *("INVALID_INPUT", "NOT_FOUND", "UNITY_ERROR", "PERMISSION_DENIED"),
    *("EXECUTION_TIMEOUT", "INTERNAL_ERROR"),
)
"""Codes that calls can end with; `editor.errors` says how they are rendered."""

_TIMEOUT_MS: Final = 30_000
_VERSION: Final = "0.1.0"


def read(document: Document) -> ToolSpec:
    """Return the tool that a definition without errors describes."""
    name = document["id"]
    examples = document.get("examples", [])
    description = document["description"]
    notes = document.get("notes")
    alias = identifier(name)
    return ToolSpec(
        name=name,
        title=document["name"],
        description=f"{description} Notes: {notes}" if notes else description,
        category=document["category"],
        safety_level=document["safetyLevel"],
        tier=document["tier"],
        input_schema=titled(
            input_schema(document["inputs"]), f"{class_name(name)}Input"
        ),
        output_schema=titled(
            output_schema(document["outputs"]), f"{class_name(name)}Output"
        ),
        errors=ERRORS,
        examples=tuple(
            ToolExample(input=each["input"], output=each["output"]) for each in examples
        ),
        timeout_ms=_TIMEOUT_MS,
        idempotent=True,  # It only reads.
        family=FAMILY,
        aliases=(alias,),
        needs_campaign=False,
        meta=_meta(document, alias),
    )


def _meta(document: Document, alias: str) -> dict[str, Any]:
    meta: dict[str, Any] = {
        key: document[key] for key in ("category", "tier", "safetyLevel")
    }
    meta["schemaVersion"] = document.get("schemaVersion", _VERSION)
    meta["alias"] = alias
    meta |= {key: document[key] for key in ("notes", "examples") if document.get(key)}
    return meta
