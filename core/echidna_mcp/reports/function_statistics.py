"""Calls, failures and gas of each function that a campaign can call.

Calls and failures are exact. Reasons and gas are those of the calls that the campaign
has logged, a sample that it draws anyway: to keep them of every call would slow the
search down, and change the events of a campaign.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.views.exercise import GasSample

if TYPE_CHECKING:
    from collections.abc import Iterable

    from echidna_mcp.views.campaign import CampaignViews

_CUSTOM_ERROR: Final = re.compile(r"(?!Error\(|Panic\()(\w+)\(.+\)$", re.DOTALL)
"""The text of a custom error that has arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionStatistics:
    """What became of the calls of one function.

    Attributes:
        function: signature, with its contract if several are called.
        calls: all that were made.
        reverts: those that failed, but for discarded ones.
        discards: those that `vm.assume` or `vm.skip` discarded.
        reasons: (reason, sampled calls), the most frequent first; a custom error is one
            reason, `Name(…)`, whatever its arguments.
        gas: of sampled calls that succeeded.
    """

    function: str
    calls: int
    reverts: int
    discards: int
    reasons: tuple[tuple[str, int], ...]
    gas: GasSample

    def to_json(self) -> dict[str, Any]:
        """Return JSON values; `gas` is null if no sampled call succeeded."""
        gas = self.gas
        return {
            "function": self.function,
            "calls": self.calls,
            "reverts": self.reverts,
            "discards": self.discards,
            "reasons": [
                {"reason": reason, "sampledCalls": calls}
                for reason, calls in self.reasons
            ],
            "gas": {
                "sampledCalls": gas.calls,
                "least": gas.least,
                "average": gas.total // gas.calls,
                "most": gas.most,
            }
            if gas.calls
            else None,
        }


def function_statistics(views: CampaignViews) -> list[FunctionStatistics]:
    """Return those of all functions that may be called, in the target's order."""
    exercise = views.exercise
    return [
        FunctionStatistics(
            function=function.signature,
            calls=views.progress.functions.get(function.signature, 0),
            reverts=exercise.reverted(function.signature),
            discards=exercise.discarded[function.signature],
            reasons=_by_error(exercise.reasons(function.signature)),
            gas=exercise.gas.get(function.signature, GasSample()),
        )
        for function in views.target.functions
    ]


def _by_error(reasons: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    """Return reasons with custom errors told by their names alone."""
    found: Counter[str] = Counter()
    for reason, calls in reasons:
        custom = _CUSTOM_ERROR.match(reason)
        found[f"{custom[1]}(…)" if custom else reason] += calls
    return tuple(sorted(found.items(), key=lambda each: (-each[1], each[0])))
