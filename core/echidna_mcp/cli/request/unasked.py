"""What is named as if it were tested, and is not."""

from __future__ import annotations

from collections.abc import Iterator

from echidna_mcp.abi.function import functions_of
from echidna_mcp.abi.types import type_name
from echidna_mcp.config.prefixes import has_prefix
from echidna_mcp.program.callees import misshapen_values
from echidna_mcp.program.target import ASKED, FuzzTarget
from echidna_mcp.wording import some


def unasked_functions(target: FuzzTarget) -> Iterator[str]:
    """Yield sentences about what is named as if it were checked, and is not.

    Those are properties, as in Echidna, and values that could be maximized.
    """
    config = target.config
    if config.of_foundry or config.test_mode == "exploration":
        return
    mode = config.test_mode
    properties = [*_left_out(target, "(bool)", config.prefix)]
    values = [*_left_out(target, "(int256)", f"{config.prefix},{config.value_prefix}")]
    misshapen = [
        f"{callee.contract.name}.{function.signature}"
        for callee in target.callees
        if callee.tested and config.checks("optimization")
        for function in misshapen_values(callee.contract, config)
    ]
    if properties:
        yield (
            f"Properties are not checked in {mode} mode: {some(properties)}; "
            f"--test-mode property,{mode} checks them as well."
        )
    if values:
        yield (
            f"Nothing is maximized in {mode} mode: {some(values)}; "
            f"--test-mode {mode},optimization does that as well."
        )
    if misshapen:
        yield (
            f"No value to maximize, but called as other functions: {some(misshapen)}; "
            "a value takes no arguments and returns one int256."
        )


def _left_out(target: FuzzTarget, returned: str, prefixes: str) -> Iterator[str]:
    """Yield functions without arguments that are named so, and that nobody asks."""
    asked = {(t.callee, t.selector) for t in target.tests if t.kind in ASKED}
    for number, callee in enumerate(target.callees):
        for function in functions_of(callee.contract.abi):
            if (
                callee.tested
                and (number, function.selector) not in asked
                and has_prefix(function.name, prefixes)
                and not function.inputs.members
                and type_name(function.outputs) == returned
            ):
                yield f"{callee.contract.name}.{function.name}"
