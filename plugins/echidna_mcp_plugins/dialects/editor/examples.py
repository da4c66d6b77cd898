"""The rules of examples: they fit the schemas that the definition becomes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from echidna_mcp.contracts.dialect import Document, Finding, pointer
from echidna_mcp.contracts.document import misfits
from echidna_mcp_plugins.dialects.editor.inputs import check_inputs
from echidna_mcp_plugins.dialects.editor.outputs import check_outputs
from echidna_mcp_plugins.dialects.editor.schemas import (
    closed,
    input_schema,
    output_schema,
)

_MOST: Final = 3
_OPTIONAL: Final = re.compile(r"\b(only (there )?if|optional)\b", re.IGNORECASE)
"""In the description of a property: it may be absent. No field says so."""


def check_examples(document: Document) -> Iterator[Finding]:
    """Yield what is wrong with the examples of a definition."""
    if "examples" not in document:
        return
    examples = document["examples"]
    if not isinstance(examples, list):
        yield Finding(pointer="/examples", message="must be a list of examples.")
        return
    if not 1 <= len(examples) <= _MOST:
        yield Finding(
            pointer="/examples",
            message=f"has {len(examples)}; give one to three representative ones.",
            is_error=False,
        )
    schemas = _schemas(document)
    for index, example in enumerate(examples):
        place = ("examples", index)
        if not isinstance(example, Mapping):
            yield Finding(
                pointer=pointer(place),
                message="must be an object with 'description', 'input' and 'output'.",
            )
            continue
        yield from _check_example(example, schemas, place)


def _check_example(
    example: Mapping[str, Any],
    schemas: Mapping[str, dict[str, Any]],
    place: tuple[str | int, ...],
) -> Iterator[Finding]:
    description = example.get("description")
    if not isinstance(description, str) or not description.strip():
        yield Finding(
            pointer=pointer((*place, "description")),
            message="must be there and say what the example shows.",
        )
    for key in ("input", "output"):
        if not isinstance(example.get(key), Mapping):
            yield Finding(
                pointer=pointer((*place, key)), message="must be there, an object."
            )
        elif key in schemas:
            yield from misfits(example[key], schemas[key], (*place, key))
    output = example.get("output")
    if isinstance(output, Mapping) and "output" in schemas:
        for name, part in schemas["output"]["properties"].items():
            if name not in output and not _OPTIONAL.search(part["description"]):
                yield Finding(
                    pointer=pointer((*place, "output")),
                    message=f"lacks {name!r}, which the tool gives; add it, or say "
                    "in its description that it is 'only there if'.",
                    is_error=False,
                )


def _schemas(document: Document) -> dict[str, dict[str, Any]]:
    """Return the schemas of what is well described; what is not has been told."""
    schemas = {}
    inputs, outputs = document.get("inputs"), document.get("outputs")
    if isinstance(inputs, Mapping) and not _has_errors(check_inputs(inputs)):
        schemas["input"] = input_schema(inputs)
    if isinstance(outputs, Mapping) and not _has_errors(check_outputs(outputs)):
        schemas["output"] = closed(output_schema(outputs))
    return schemas


def _has_errors(findings: Iterator[Finding]) -> bool:
    return any(finding.is_error for finding in findings)
