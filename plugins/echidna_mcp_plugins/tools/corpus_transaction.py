"""How the tools show a call of the corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp._generated.outputs import CorpusTransaction

if TYPE_CHECKING:
    from echidna_mcp.reports.call_texts import CallTexts
    from echidna_mcp.views import corpus


def describe(
    transaction: corpus.CorpusTransaction, texts: CallTexts
) -> CorpusTransaction:
    """Return a call, how it ended, and the sequence it belongs to (FR-005)."""
    call, entry = transaction.call, transaction.entry
    return CorpusTransaction(
        index=transaction.index,
        call=texts.text(call),
        sender=call["sender"],
        value=call["value"],
        gasUsed=call["gasUsed"],
        sequence=entry.entry,
        position=transaction.position,
        injected=entry.injected,
        result=call["result"],
        timeDelay=call["timeDelay"],
        blockDelay=call["blockDelay"],
        round=entry.round,
        worker=entry.worker,
        sequenceLength=len(entry.calls),
        coverageDelta=entry.new_points,
        source=entry.source,
    )
