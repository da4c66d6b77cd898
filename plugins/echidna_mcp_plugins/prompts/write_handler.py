"""Prompt `write_handler`: a contract that gives the fuzzer calls that make sense."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from echidna_mcp.abi.function import functions_of
from echidna_mcp.catalogue.prompt import Prompt, PromptArgument
from echidna_mcp.config.prefixes import first_prefix, has_prefix
from echidna_mcp_plugins.prompts.wording import (
    UNTRUSTED,
    contract_named,
    contracts_with_code,
)

if TYPE_CHECKING:
    from echidna_mcp.tools.tool import ToolContext

_LISTED = 60


def write_handler_prompt() -> Prompt:
    """Return it."""
    return Prompt(
        name="write_handler",
        title="Write a handler",
        description="Write a Solidity contract that deploys the system, bounds the "
        "arguments of its functions, tracks what should hold, and states properties.",
        arguments=(
            PromptArgument(
                name="contract",
                description="Contract to wrap; the target if left out.",
                values=contracts_with_code,
            ),
        ),
        render=_render,
    )


def _render(arguments: Mapping[str, str], context: ToolContext) -> str:
    target = context.views.target
    given = arguments.get("contract", "").strip()
    contract = contract_named(given, context) if given else target.program.main_contract
    functions = [
        f"- {each.signature} {each.mutability}"
        for each in functions_of(contract.abi)
        if not each.read_only and not has_prefix(each.name, target.config.prefix)
    ]
    if len(functions) > _LISTED:
        functions[_LISTED:] = [f"- … {len(functions) - _LISTED} more"]
    signatures = "\n".join(functions) or "- none that changes anything"
    prefix = first_prefix(target.config.prefix)
    return f"""\
Write a handler for {contract.qualified_name}, compiled with {target.program.compiler}.
These functions change its state:

{signatures}

A handler is the contract that the fuzzer calls in place of the system:
1. Its constructor takes no arguments, deploys everything, and gives actors the tokens
   and approvals that they need.
2. One function for each action. Bound arguments so that most calls succeed (amounts to
   balances, indices to lengths), but leave the edges in: 0, 1, the maximum. Choose the
   actor by an argument, because calls then come from the handler.
3. Keep ghost variables: sums of what went in and out, the last value of whatever must
   only grow.
4. State what must always hold as functions `{prefix}NAME() returns
   (bool)` without arguments: conservation of value, solvency, access control,
   monotonicity. One statement each, so that a failure names what broke.
5. Don't swallow reverts that mean something: let unexpected ones fail an assertion.

Run it with `echidna-mcp run Handler.sol --contract Handler`, look at the coverage, and
change bounds or add actions until every function of the system is reached and succeeds.
Report what the properties mean, and what they don't cover.

{UNTRUSTED}
"""
