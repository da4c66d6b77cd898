"""Tool `inject_transaction`: run a call sequence on every worker (FR-007)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from echidna_mcp._generated.outputs import InjectTransactionOutput
from echidna_mcp._generated.tools import inject_transaction_tool
from echidna_mcp.plugins import hookimpl
from echidna_mcp.rounds.commands import parse_injection
from echidna_mcp.wording import counted
from echidna_mcp_plugins.tools.control import active_workers
from echidna_mcp_plugins.tools.wei import parse_wei

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import InjectTransactionInput
    from echidna_mcp.tools.tool import Tool, ToolContext


async def handle(
    args: InjectTransactionInput, context: ToolContext
) -> InjectTransactionOutput:
    """Check every call, then queue the sequence for all workers (Clarification #5).

    Raises:
        CallSyntaxError: a call can't be read; nothing is queued.
        InvalidInputError: the value is more wei than a word holds.
        CampaignTerminatedError: no worker is active.
    """
    workers = active_workers(context)
    command: dict[str, Any] = {
        "sequence": list(args.sequence),
        "value": str(parse_wei(args.value, "value")),
    }
    if args.sender is not None:
        command["sender"] = args.sender.lower()
    # The campaign numbers commands; to check one, any number will do.
    calls = parse_injection(0, command, context.views.target).calls
    message = (
        f"Injected {counted(len(calls), 'transaction')} to {counted(workers, 'worker')}"
    )
    receipt = await context.commands.submit("inject_transaction", command, message)
    verb = "it runs" if len(calls) == 1 else "they run"
    return InjectTransactionOutput(
        success=True,
        message=f"{message}; {verb} at round {receipt.round}.",
        injectedCount=len(calls),
    )


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (inject_transaction_tool(handle),)
