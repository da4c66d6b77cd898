"""The report at the end: what was tried, and what it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from echidna_mcp_coverage_agent.campaign import Function


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One sequence that the model asked for.

    Attributes:
        function: whose coverage it should raise.
        calls: the sequence.
        before, after: coverage of the function, in percent.
        refused: why the server did not take it, if so.

    """

    function: Function
    calls: tuple[str, ...]
    before: float
    after: float
    refused: str | None = None


def report(
    start: Mapping[Function, float],
    end: Mapping[Function, float],
    attempts: Sequence[Attempt],
) -> str:
    """Return the report as Markdown: functions that changed or were tried."""
    tried = {attempt.function for attempt in attempts}
    told = [f for f in end if f in tried or end[f] != start.get(f, 0.0)]
    risen = sum(end[f] > start.get(f, 0.0) for f in told)
    lines = [
        f"# Coverage: {risen} of {len(end)} functions raised",
        "",
        "| function | before | after |",
        "|---|---|---|",
        *(
            f"| `{'.'.join(f)}` | {start.get(f, 0.0)} % | {end[f]} % |"
            for f in sorted(told)
        ),
        "",
        "## Sequences",
        "",
        *(f"{n}. {_told(attempt)}" for n, attempt in enumerate(attempts, 1)),
    ]
    return "\n".join(lines)


def _told(attempt: Attempt) -> str:
    calls = ", ".join(f"`{call}`" for call in attempt.calls) or "no calls"
    if attempt.refused is not None:
        return f"{calls}: refused. {attempt.refused}"
    name = ".".join(attempt.function)
    return f"{calls}: `{name}` from {attempt.before} % to {attempt.after} %"
