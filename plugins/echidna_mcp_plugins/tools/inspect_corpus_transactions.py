"""Tool `inspect_corpus_transactions`: the corpus, page by page (FR-005)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp._generated.outputs import InspectCorpusOutput
from echidna_mcp._generated.tools import inspect_corpus_transactions_tool
from echidna_mcp.plugins import hookimpl
from echidna_mcp.tools.size import ANSWER_BYTES, fitting
from echidna_mcp_plugins.tools.corpus_transaction import describe
from echidna_mcp_plugins.tools.function_calls import ROOM, function_calls

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import InspectCorpusInput
    from echidna_mcp.tools.tool import Tool, ToolContext


async def handle(args: InspectCorpusInput, context: ToolContext) -> InspectCorpusOutput:
    """Return one page in corpus order; past the end it is empty."""
    corpus = context.views.corpus
    page = [
        describe(one, context.texts) for one in corpus.page(args.offset, args.limit)
    ]
    transactions = fitting(page, ANSWER_BYTES - ROOM)
    if len(transactions) < len(page):
        context.warnings.append(
            f"One answer holds {len(transactions)} of these {len(page)} transactions; "
            f"go on at offset {args.offset + len(transactions)}."
        )
    sequences = len(corpus)
    average = corpus.transactions / sequences if sequences else 0.0
    return InspectCorpusOutput(
        transactions=transactions,
        total=corpus.transactions,
        sequences=sequences,
        averageSequenceLength=round(average, 2),
        maxSequenceLength=corpus.longest,
        coveragePoints=context.views.coverage.points,
        functionCalls=function_calls(context),
        functionCallsSince=context.views.progress.steady_since,
    )


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (inspect_corpus_transactions_tool(handle),)
