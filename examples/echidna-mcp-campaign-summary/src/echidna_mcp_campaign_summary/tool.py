"""Tool `campaign_summary`: the whole campaign in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from echidna_mcp.plugins import hookimpl
from echidna_mcp.views.properties import PropertyState

from echidna_mcp_campaign_summary._generated import outputs
from echidna_mcp_campaign_summary._generated.tools import campaign_summary_tool

if TYPE_CHECKING:
    from echidna_mcp.tools.tool import Tool, ToolContext
    from echidna_mcp.views.campaign import CampaignViews
    from echidna_mcp.views.properties import PropertyRecord

    from echidna_mcp_campaign_summary._generated.inputs import CampaignSummaryInput


async def handle(
    args: CampaignSummaryInput, context: ToolContext
) -> outputs.CampaignSummaryOutput:
    """Return the campaign as of the last committed round."""
    views = context.views
    progress = views.progress
    summary = outputs.CampaignSummaryOutput(
        contract=views.target.program.main,
        state=_state(views),
        round=progress.round,
        calls=progress.calls,
        sequences=progress.sequences,
        reverts=progress.reverts,
        functions=_least_called(views, args.top),
        properties=[_property(record) for record in views.properties.records.values()],
        coverage=outputs.CoverageSummary(
            linePercent=context.reports.report(views.coverage).line_percent,
            points=views.coverage.points,
        ),
        corpus=outputs.CorpusSummary(
            sequences=len(views.corpus),
            transactions=views.corpus.transactions,
            injected=sum(entry.injected for entry in views.corpus.entries),
        ),
        prioritized=list(views.priorities.matched),
    )
    if progress.stopped is not None:
        summary["reason"] = progress.stopped
    return summary


def _state(views: CampaignViews) -> Literal["fuzzing", "draining", "ended"]:
    if views.progress.stopped is not None:
        return "ended"
    return "draining" if views.progress.draining else "fuzzing"


def _least_called(views: CampaignViews, count: int) -> list[outputs.FunctionCalls]:
    """Return functions, fewest calls first; those never called count as well."""
    called = views.progress.functions
    calls = {f.signature: called.get(f.signature, 0) for f in views.target.functions}
    # By name where the counts agree, so that the same state gives the same answer.
    ordered = sorted(calls.items(), key=lambda item: (item[1], item[0]))
    return [
        outputs.FunctionCalls(signature=signature, calls=number)
        for signature, number in ordered[:count]
    ]


def _property(record: PropertyRecord) -> outputs.PropertySummary:
    match record.state:
        case PropertyState.OPEN:
            return outputs.PropertySummary(name=record.name, state="open")
        case PropertyState.SHRINKING:
            state: Literal["shrinking", "falsified"] = "shrinking"
        case PropertyState.SOLVED:
            state = "falsified"
    return outputs.PropertySummary(
        name=record.name,
        state=state,
        reason=record.reason,
        reproducer=list(record.counterexample),
    )


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (campaign_summary_tool(handle),)
