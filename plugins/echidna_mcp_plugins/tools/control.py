"""Help for the control tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echidna_mcp.errors import CampaignTerminatedError
from echidna_mcp.rounds.commands import canonical_request

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
    requests = dict.fromkeys(views.priorities.requested)
    for command in views.progress.pending:
        match command.tool:
            case "prioritize_function":
                requests[canonical_request(command.args["functionSignature"])] = None
            case "clear_priorities":
                requests.clear()
    return list(requests)
