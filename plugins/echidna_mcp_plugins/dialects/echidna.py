"""Our own dialect (`docs/dialects.md`).

`contracts/schema/tool.schema.json` says what a document looks like. Its rule that the
name of a tool matches `^[a-z_]+$` belongs to this dialect; others have their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from echidna_mcp.contracts.bundle import meta_schemas
from echidna_mcp.contracts.dialect import Dialect, Document, Finding
from echidna_mcp.contracts.document import misfits, undeclared, wrong_with_schema
from echidna_mcp.contracts.toolspec import ToolExample, ToolSpec
from echidna_mcp.plugins import hookimpl


def echidna_dialect(meta_schema: Mapping[str, Any]) -> Dialect:
    """Return the dialect, as a meta-schema defines it."""

    def check(document: Document) -> Iterator[Finding]:
        wrong = list(misfits(document, meta_schema, ()))
        yield from wrong
        if not wrong:
            yield from _check_schemas(document)

    return Dialect(
        name="echidna",
        title="Echidna tool contract",
        is_meant=lambda document: (
            "inputSchema" in document or "outputSchema" in document
        ),
        check=check,
        read=_read,
    )


def _check_schemas(document: Document) -> Iterator[Finding]:
    wrong = [
        finding
        for key in ("inputSchema", "outputSchema")
        for finding in wrong_with_schema(document[key], (key,))
    ]
    yield from wrong
    if wrong:
        return
    for index, example in enumerate(document["examples"]):
        for key in ("input", "output"):
            schema = document[f"{key}Schema"]
            yield from misfits(example[key], schema, ("examples", index, key))


def _read(document: Document) -> ToolSpec:
    return ToolSpec(
        name=document["name"],
        title=document["title"],
        description=document["description"],
        category=document["category"],
        safety_level=document["safetyLevel"],
        tier=document["tier"],
        input_schema=undeclared(document["inputSchema"]),
        output_schema=undeclared(document["outputSchema"]),
        errors=tuple(document["errors"]),
        examples=tuple(
            ToolExample(input=example["input"], output=example["output"])
            for example in document["examples"]
        ),
        timeout_ms=document["timeoutMs"],
        idempotent=document.get("idempotent", False),
        open_world=document.get("openWorld", False),
    )


@hookimpl
def register_dialects() -> Sequence[Dialect]:
    """Offer the dialect (hook)."""
    return (echidna_dialect(meta_schemas()["tool"]),)
