"""Tool `prioritize_function`: bias fuzzing toward a function (FR-008)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from echidna_mcp._generated.outputs import PrioritizeFunctionOutput
from echidna_mcp._generated.tools import prioritize_function_tool
from echidna_mcp.abi.signatures import (
    closest_names,
    parse_signature,
    qualified_by,
    split_qualifier,
)
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.plugins import hookimpl
from echidna_mcp.rounds.commands import canonical_request, prioritized_functions
from echidna_mcp.tools.size import fitting
from echidna_mcp.wording import listed
from echidna_mcp_plugins.tools.control import active_workers, requests_in_force

if TYPE_CHECKING:
    from echidna_mcp._generated.inputs import PrioritizeFunctionInput
    from echidna_mcp.program.target import FuzzTarget
    from echidna_mcp.tools.tool import Tool, ToolContext

MAX_LENGTH: Final = 2_000
"""Most characters of a signature: requests are kept for the whole campaign."""

_SHOWN = 10


async def handle(
    args: PrioritizeFunctionInput, context: ToolContext
) -> PrioritizeFunctionOutput:
    """Add a request; one that matches nothing yet is accepted (edge cases).

    Raises:
        CallSyntaxError: the text is no signature.
        InvalidInputError: the signature is too long.
        CampaignTerminatedError: no worker is active.
    """
    active_workers(context)
    if len(args.function_signature) > MAX_LENGTH:
        raise InvalidInputError(
            f"functionSignature must have at most {MAX_LENGTH} characters.",
            argument="functionSignature",
            maximum=MAX_LENGTH,
        )
    request = canonical_request(args.function_signature)
    title = f"Prioritized function '{request}'"
    note = _note(request, context.views.target)
    receipt = await context.commands.submit(
        "prioritize_function", {"functionSignature": request}, f"{title}.{note}"
    )
    in_force = requests_in_force(context.views)
    if request not in in_force:
        in_force.append(request)
    return PrioritizeFunctionOutput(
        success=True,
        message=f"{title} from round {receipt.round}.{note}",
        # The newest, should there be more than one answer holds.
        prioritizedFunctions=fitting(reversed(in_force))[::-1],
    )


def _note(request: str, target: FuzzTarget) -> str:
    """Return what else there is to say, with a space before it."""
    functions = prioritized_functions(request, target)
    if functions == (request,):
        return ""
    qualifier, rest = split_qualifier(request)
    name, _ = parse_signature(rest)
    if not functions:
        near = closest_names(name, qualified_by(qualifier, target.functions))[:_SHOWN]
        hint = f"; did you mean {listed(near, 'or')}?" if near else "."
        return f" It matches no function that can be called{hint}"
    shown = listed(functions[:_SHOWN])
    if len(functions) > _SHOWN:
        shown = f"{', '.join(functions[:_SHOWN])} and {len(functions) - _SHOWN} more"
    names = {f.signature for f in target.functions if f.name == name}
    if names.intersection(functions):
        return f" It stands for {shown}."
    return f" It is a modifier of {shown}."


@hookimpl
def register_tools() -> Sequence[Tool]:
    """Offer the tool (hook)."""
    return (prioritize_function_tool(handle),)
