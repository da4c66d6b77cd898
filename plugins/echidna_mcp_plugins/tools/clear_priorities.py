"""Tool `clear_priorities`: back to a uniform choice of functions (FR-009)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from echidna_mcp._generated.outputs import ClearPrioritiesOutput
from echidna_mcp._generated.tools import clear_priorities_tool
from echidna_mcp.plugins import hookimpl
from echidna_mcp.wording import counted
from echidna_mcp_plugins.tools.control import active_workers, requests_in_force

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import ClearPrioritiesInput
    from echidna_mcp.tools.tool import Tool, ToolContext


async def handle(
    _args: ClearPrioritiesInput, context: ToolContext
) -> ClearPrioritiesOutput:
    """Forget all requests, those that have yet to take effect included.

    Raises:
        CampaignTerminatedError: no worker is active.
    """
    active_workers(context)
    cleared = len(requests_in_force(context.views))
    message = f"Cleared {counted(cleared, 'prioritized function')}"
    receipt = await context.commands.submit("clear_priorities", {}, message)
    return ClearPrioritiesOutput(
        success=True,
        message=f"{message}; from round {receipt.round} all are equally likely.",
        clearedCount=cleared,
    )


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (clear_priorities_tool(handle),)
