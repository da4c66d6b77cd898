"""Prompt `triage_property`: from a falsified test to a cause and a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from echidna_mcp.catalogue.prompt import Prompt, PromptArgument
from echidna_mcp.errors import InvalidInputError
from echidna_mcp.tools.display import clean, shown
from echidna_mcp.wording import listed
from echidna_mcp_plugins.prompts.wording import UNTRUSTED

if TYPE_CHECKING:
    from echidna_mcp.tools.tool import ToolContext
    from echidna_mcp.views.properties import PropertyRecord

_LINES = 100
_WIDTH = 300


def triage_property_prompt() -> Prompt:
    """Return it."""
    return Prompt(
        name="triage_property",
        title="Triage a failing property",
        description="Explain a falsified test call by call, find the cause in the "
        "source, and judge whether the contract or the test is wrong.",
        arguments=(
            PromptArgument(
                name="property",
                description="Name of the test; the first falsified one if left out.",
                values=_tests,
            ),
        ),
        render=_render,
    )


def _tests(context: ToolContext) -> Iterable[str]:
    properties = context.views.properties
    yield from (record.name for record in properties.falsified)
    yield from properties.records


def _render(arguments: Mapping[str, str], context: ToolContext) -> str:
    record = _record(arguments.get("property", "").strip(), context)
    if record is None or record.calls is None or record.maximizes:
        return _nothing_to_explain(record, context)
    main = context.views.target.program.main_contract
    pairs = list(zip(record.counterexample, record.calls, strict=True))
    lines = [
        f"{index}. {clean(text, _WIDTH)}  from {call['sender']}"
        + (f", value {call['value']} wei" if call["value"] != "0" else "")
        + (f", {call['timeDelay']} s later" if call["timeDelay"] else "")
        + (f", {call['blockDelay']} blocks later" if call["blockDelay"] else "")
        for index, (text, call) in enumerate(pairs[:_LINES], 1)
    ]
    if len(pairs) > _LINES:
        lines.append(f"… {len(pairs) - _LINES} more calls")
    sequence = "\n".join(lines) or "(no call: it fails right after deployment)"
    return f"""\
The fuzzer falsified {record.name} of {main.qualified_name}: {clean(record.reason)}.
The shortest sequence that it knows ({record.state.value}, confirmed on a second EVM):

{sequence}

1. Read the source of the test and of each function that is called, and say what each
   call does to the state: storage, balances, time.
2. Name the call after which the test no longer holds, and the line that makes it so.
3. Judge: is it a bug of the contract (who loses what, under which conditions, how
   likely, how bad), a wrong test, or an assumption that nobody wrote down?
4. Check your explanation: with inject_transaction run a variant that should fail for
   the same reason and one that should not, and see what read_logs says of them.
5. Report: cause, impact, the reproducer as a list of calls, and the smallest fix. Then
   write the fixed lines, and the sequence as a regression test.

{UNTRUSTED}
"""


def _nothing_to_explain(record: PropertyRecord | None, context: ToolContext) -> str:
    test = "No test" if record is None else record.name
    verb = "has been falsified" if record is None else "has not been falsified"
    return f"""\
{test} {verb} so far (round {context.views.progress.round}). Look at the tests in
echidna://campaign and at show_coverage: say which code the tests depend on that has not
been reached yet, and bring the fuzzer there with inject_transaction and
prioritize_function. When a PropertyFalsified event appears in read_logs, explain its
reproducer.

{UNTRUSTED}
"""


def _record(name: str, context: ToolContext) -> PropertyRecord | None:
    properties = context.views.properties
    if not name:
        return next(iter(properties.falsified), None)
    if name not in properties.records:
        known = list(properties.records)[:12]
        raise InvalidInputError(
            f"There is no test {shown(name)}; "
            f"there are {listed(known) or 'none: the mode is exploration'}.",
            property=clean(name),
        )
    return properties.records[name]
