"""The specification: contract documents, their schemas, the neutral `ToolSpec`."""

from echidna_mcp.contracts.bundle import Bundle, load_bundle, load_tool
from echidna_mcp.contracts.eventspec import EventSpec
from echidna_mcp.contracts.toolspec import ToolExample, ToolSpec, declared

__all__ = [
    "Bundle",
    "EventSpec",
    "ToolExample",
    "ToolSpec",
    "declared",
    "load_bundle",
    "load_tool",
]
