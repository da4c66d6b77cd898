"""Prompt `raise_coverage`: get the fuzzer past what stops it in one function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.prompt import Prompt, PromptArgument
from echidna_mcp_plugins.prompts.wording import (
    UNTRUSTED,
    function_named,
    functions_of_target,
)

if TYPE_CHECKING:
    from echidna_mcp.tools.tool import ToolContext


def raise_coverage_prompt() -> Prompt:
    """Return it."""
    return Prompt(
        name="raise_coverage",
        title="Raise coverage of a function",
        description="Find out why the fuzzer does not get through a function, and "
        "bring it further with prioritised functions and injected sequences.",
        arguments=(
            PromptArgument(
                name="function",
                description="Name or signature; the least covered one if left out.",
                values=functions_of_target,
            ),
        ),
        render=_render,
    )


def _render(arguments: Mapping[str, str], context: ToolContext) -> str:
    given = arguments.get("function", "").strip()
    if given:
        signature = function_named(given, context)
    else:
        signature = next(iter(functions_of_target(context)))
    views = context.views
    index = views.target.function_index[signature]
    contract = views.target.callees[views.target.callee_of[index]].contract
    coverage = context.reports.contract(contract, views.coverage)
    called = views.target.functions[index].plain_signature
    state = "Its lines are not known: there is no source map."
    for function in coverage.functions:
        if function.signature == called:
            state = (
                f"It starts at {function.path}:{function.line}; "
                f"{function.covered_lines} of its {function.lines} lines are covered "
                f"at round {views.progress.round}."
            )
    calls = views.progress.functions.get(signature, 0)
    return f"""\
Raise the coverage of {signature} in {contract.name}. {state} The fuzzer has called it \
{calls} times so far.

1. Read echidna://campaign/coverage for the lines that are missing, and the source that
   it points to. If you can't read resources, use show_coverage and your own copy.
2. For each line that is missing, name the condition in front of it: a guard on the
   sender, a value that must match exactly, a state that other calls must set up, time
   or block number that must have passed.
3. Write the shortest call sequence that meets it and inject it with inject_transaction
   (calls as in Solidity; ? lets the fuzzer choose an argument; sender and value can be
   given). If the arguments don't matter but the function is called too rarely, use
   prioritize_function instead.
4. Wait for the next rounds, then check: find_transaction_in_corpus shows whether your
   sequence got into the corpus and how its calls ended, show_coverage what it reached.
5. Go on until nothing is missing, or until you can say why a line can't be reached.
   Then call clear_priorities and report: what was covered before and after, which
   sequences did it, and what can't be reached, with the reason.

{UNTRUSTED}
"""
