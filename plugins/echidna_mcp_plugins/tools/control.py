"""Help for the control tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.errors import CampaignTerminatedError
from echidna_mcp.rounds.commands import prioritization

if TYPE_CHECKING:
    from echidna_mcp.tools.tool import ToolContext
    from echidna_mcp.views.campaign import CampaignViews


def active_workers(context: ToolContext) -> int:
    """Return how many workers will run a command.

    Raises:
        CampaignTerminatedError: none, because the campaign has ended.
    """
    progress = context.views.progress
    active = sum(state == "running" for state in progress.workers.values())
    if progress.stopped is not None or not active:
        raise CampaignTerminatedError(reason=progress.stopped)
    return active


def requests_in_force(views: CampaignViews) -> list[str]:
    """Return the prioritization requests, oldest first, once each.

    Accepted commands count although they take effect later: what an agent asked for is
    what it, and every other agent, must see next.
    """
    foreseen = views.priorities.copy()
    for command in views.progress.pending:
        effect = {}
        if command.tool == "prioritize_function":
            effect = prioritization(command.args, views.target)
        foreseen.take(command.tool, effect)
    return list(foreseen.requested)
