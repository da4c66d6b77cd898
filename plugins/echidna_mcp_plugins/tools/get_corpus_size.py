"""Tool `get_corpus_size`: the number of transactions in the corpus (FR-004)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp._generated.outputs import GetCorpusSizeOutput
from echidna_mcp._generated.tools import get_corpus_size_tool
from echidna_mcp.plugins import hookimpl

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import GetCorpusSizeInput
    from echidna_mcp.tools.tool import Tool, ToolContext


async def handle(
    _args: GetCorpusSizeInput, context: ToolContext
) -> GetCorpusSizeOutput:
    """Return the number of calls in all sequences."""
    return GetCorpusSizeOutput(size=context.views.corpus.transactions)


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (get_corpus_size_tool(handle),)
