"""What a campaign made of a canary (`program.canary`), and why not more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from echidna_mcp.program.canary import (
    NAME,
    PLANTED_AT,
    canary_function,
    canary_test,
)
from echidna_mcp.program.identity import runtime_key
from echidna_mcp.views.properties import PropertyState
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.program.target import TestCase
    from echidna_mcp.views.campaign import CampaignViews


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryOutcome:
    """What became of a canary.

    Attributes:
        found: whether it was found, confirmed by the reference and shrunk, or in
            exploration mode covered.
        round: when; None if it was not.
        calls: of the campaign that searched it.
        reproducer: the calls that show it, as text; none in exploration mode.
        reason: why it was not found, and what to look at; empty if it was.
    """

    found: bool
    round: int | None
    calls: int
    reproducer: tuple[str, ...] = ()
    reason: str = ""


def canary_outcome(views: CampaignViews) -> CanaryOutcome:
    """Return what a campaign has made of the canary in its target so far."""
    test = canary_test(views.target)
    if test is None:
        found, number = _is_covered(views), views.progress.round
        reproducer: tuple[str, ...] = ()
    else:
        record = views.properties.records[test.name]
        found = record.state is PropertyState.SOLVED and bool(record.calls)
        number, reproducer = record.falsified_at or 0, record.counterexample
    return CanaryOutcome(
        found=found,
        round=number if found else None,
        calls=views.progress.calls,
        reproducer=reproducer if found else (),
        reason="" if found else _why_not(views, test),
    )


def _is_covered(views: CampaignViews) -> bool:
    contract = next(c for c in views.target.program.contracts if c.name == NAME)
    return PLANTED_AT in views.coverage.covered().get(runtime_key(contract), ())


def _why_not(views: CampaignViews, test: TestCase | None) -> str:
    """Return one sentence: how far the canary got, and what to look at."""
    if test is not None and (told := _why_not_reported(views, test)):
        return told
    function = canary_function(views.target)
    calls = views.progress.functions.get(function, 0)
    if not calls:
        return (
            f"none of {counted(views.progress.calls, 'call')} was for it; raise "
            f"{_limit(views)}."
        )
    if not views.exercise.succeeded({function: calls}):
        reason = views.exercise.usual_reason([function]) or "no reason given"
        return (
            f"all of its calls failed ({counted(calls, 'call')}), most often with: "
            f"{reason}; look at testMaxGas."
        )
    if test is None and not views.target.config.coverage:
        return "coverage is off, and exploration mode has no tests; set coverage: true."
    return (
        f"none of its {counted(calls, 'call')} had the number that stands in its code; "
        f"raise {_limit(views)}, and look at dictFreq, climbing and testMaxGas."
    )


def _limit(views: CampaignViews) -> str:
    """Return the name of the limit that ended the search."""
    limit = views.target.config.test_limit
    reached = limit is not None and views.progress.calls >= limit
    return "testLimit" if reached else "--timeout"


def _why_not_reported(views: CampaignViews, test: TestCase) -> str | None:
    """Return what held up a failure that was found; None if there was none."""
    record = views.properties.records[test.name]
    if record.dispute is not None:
        return "two EVMs disagree on it, so one of them has a bug; please report it."
    if record.state is PropertyState.OPEN:
        return None
    if not record.calls:
        return (
            f"its property failed before any call ({record.reason}); look at "
            "propMaxGas and psender."
        )
    return "it was found, but there was no time to shrink it; raise --timeout."
