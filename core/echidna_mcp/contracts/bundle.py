"""Specifications at run time, read from the bundle inside a package.

`contracts.json` is generated beside the stubs: a wheel and an editable install hold the
same file, which is not true of `contracts/`. Its tools are `ToolSpec`s, whichever
dialect their documents are in.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from echidna_mcp.contracts.document import parse_event
from echidna_mcp.contracts.eventspec import EventSpec
from echidna_mcp.contracts.toolspec import ToolSpec
from echidna_mcp.errors import ContractDocumentError

CORE = "echidna_mcp._generated"
BUNDLE_NAME = "contracts.json"
BUNDLE_FORMAT = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """What the contract documents of a package describe.

    Attributes:
        tools: by name, sorted.
        events: by type, sorted.
        error: draft-07 schema of the error envelope, if the package has its own.
    """

    tools: Mapping[str, ToolSpec]
    events: Mapping[str, EventSpec]
    error: Mapping[str, Any] | None


def load_bundle(package: str = CORE) -> Bundle:
    """Return what was generated into a package.

    Raises:
        ContractDocumentError: the package has no bundle, or a document is wrong.
    """
    data = _read(package)
    schema = meta_schemas()["event"]
    return Bundle(
        tools={
            name: ToolSpec.from_json(d) for name, d in sorted(data["tools"].items())
        },
        events={
            name: parse_event(document, f"{package} ({name})", schema)
            for name, document in sorted(data["events"].items())
        },
        error=data.get("error"),
    )


def load_tool(package: str, name: str) -> ToolSpec:
    """Return one tool of a package.

    Raises:
        ContractDocumentError: the package has no bundle or no such tool.
    """
    tools = _read(package)["tools"]
    if name not in tools:
        raise ContractDocumentError(
            f"{package} has no contract document for {name!r}; "
            f"it has {', '.join(sorted(tools)) or 'none'}."
        )
    return ToolSpec.from_json(tools[name])


def meta_schemas() -> Mapping[str, Mapping[str, Any]]:
    """Return the schemas of `tool` and `event` documents."""
    schemas: Mapping[str, Mapping[str, Any]] = _read(CORE)["schemas"]
    return schemas


def _read(package: str) -> Mapping[str, Any]:
    try:
        text = (resources.files(package) / BUNDLE_NAME).read_text(encoding="utf-8")
        data = json.loads(text)
    except (ImportError, OSError, ValueError) as error:
        raise ContractDocumentError(
            f"{package} has no readable {BUNDLE_NAME}; "
            "generate it with `python -m echidna_mcp_codegen`."
        ) from error
    if not isinstance(data, dict) or data.get("format") != BUNDLE_FORMAT:
        raise ContractDocumentError(
            f"{package}/{BUNDLE_NAME} has another format; "
            "generate it again with `python -m echidna_mcp_codegen`."
        )
    return data
