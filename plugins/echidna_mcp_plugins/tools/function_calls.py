"""How often each function was called since the priorities last changed (SC-003)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from echidna_mcp._generated.outputs import FunctionCalls
from echidna_mcp.tools.size import fitting

if TYPE_CHECKING:
    from echidna_mcp.tools.tool import ToolContext

ROOM: Final = 8_000
"""Bytes of an answer that they may take."""


def function_calls(context: ToolContext) -> list[FunctionCalls]:
    """Return calls and shares in per cent, the most called function first."""
    calls = context.views.progress.steady_calls
    total = sum(calls.values())
    ordered = sorted(
        context.views.target.functions,
        key=lambda function: (-calls.get(function.signature, 0), function.signature),
    )
    told = [
        FunctionCalls(
            signature=function.signature,
            calls=calls.get(function.signature, 0),
            share=_percent(calls.get(function.signature, 0), total),
        )
        for function in ordered
    ]
    shown = fitting(told, ROOM)
    if len(shown) < len(told):
        context.warnings.append(
            f"One answer has room for the {len(shown)} most called functions "
            f"of {len(told)}."
        )
    return shown


def _percent(part: int, total: int) -> float:
    """Return a share in per cent, rounded half up to two decimals; 0.0 of nothing."""
    return (part * 20_000 + total) // (2 * total) / 100 if total else 0.0
