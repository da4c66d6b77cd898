"""The dialect of EditorMCP: tool definition schema v0.1."""

from __future__ import annotations

from collections.abc import Sequence

from echidna_mcp.contracts.dialect import Dialect, Document
from echidna_mcp.plugins import hookimpl
from echidna_mcp_plugins.dialects.editor.definition import check
from echidna_mcp_plugins.dialects.editor.reading import read


def _is_meant(document: Document) -> bool:
    own = sum(key in document for key in ("id", "inputs", "outputs", "safetyLevel"))
    return own >= 2 and "inputSchema" not in document and "output" not in document


EDITOR = Dialect(
    name="editor",
    title="EditorMCP tool definition v0.1",
    is_meant=_is_meant,
    check=check,
    read=read,
)


@hookimpl
def register_dialects() -> Sequence[Dialect]:
    """Offer the dialect (hook)."""
    return (EDITOR,)
