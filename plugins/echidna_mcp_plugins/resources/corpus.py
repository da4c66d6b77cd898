"""`echidna://campaign/corpus/{index}`: one sequence of the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.resource import Resource, Variables
from echidna_mcp.reports.call_texts import told
from echidna_mcp.tools.size import fitting
from echidna_mcp_plugins.resources.answer import JSON, ROOT, as_json, number

if TYPE_CHECKING:
    from echidna_mcp.events.event import Event
    from echidna_mcp.tools.tool import ToolContext


def corpus_resources() -> Sequence[Resource]:
    """Return it."""
    return (
        Resource(
            name="corpus-sequence",
            uri=f"{ROOT}/corpus/{{index}}",
            title="Corpus sequence",
            description="One call sequence of the corpus, by its number from 0: its "
            "calls in order, how each ended, and who found it.",
            mime_type=JSON,
            read=_read,
            touched=_touched,
            values={"index": _numbers},
        ),
    )


async def _read(values: Variables, context: ToolContext) -> str:
    corpus = context.views.corpus
    index = number(values["index"], len(corpus), "corpus sequence")
    entry = corpus.entries[index]
    return as_json(
        {
            "sequence": index,
            "total": len(corpus),
            "round": entry.round,
            "worker": entry.worker,
            "injected": entry.injected,
            "newPoints": entry.new_points,
            "length": len(entry.calls),
            "calls": fitting(
                {
                    **told(context.texts.text(call), call),
                    "gasUsed": call["gasUsed"],
                    "result": call["result"],
                }
                for call in entry.calls
            ),
        }
    )


def _touched(event: Event) -> Iterable[Variables]:
    if event.type == "CorpusExtended":
        yield {"index": str(event.payload["entry"])}


def _numbers(context: ToolContext) -> Iterable[str]:
    """Return numbers, the newest first."""
    return map(str, reversed(range(len(context.views.corpus))))
