"""What `echidna-mcp doctor` tells, for people and for programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from echidna_mcp.cli.console.output import json_text
from echidna_mcp.cli.console.printable import printable
from echidna_mcp.cli.display.plan_lines import callee_lines
from echidna_mcp.wording import counted

if TYPE_CHECKING:
    from echidna_mcp.config.projects.choice import Choice
    from echidna_mcp.reports.canary_search import CanaryOutcome
    from echidna_mcp.reports.diagnosis import Diagnosis
    from echidna_mcp.views.campaign import CampaignViews

_HONOUR: Final = "Not honoured, so that something else is tested; leave it out"
_FALSIFIED: Final = "Falsified: findings, which run reports in full"
_EXERCISE: Final = "Tests that are not exercised; make calls get there"
_SUCCEED: Final = "Functions of which no call succeeded; mend them, or don't call them"
_CODE: Final = "Called, but without code; deploy it, or leave it out of the targets"
_ADVICE: Final = "Settings under which little is tested"
_WITHOUT_EFFECT: Final = "Without effect, and harmless"


def diagnosis_text(choice: Choice, views: CampaignViews, diagnosis: Diagnosis) -> str:
    """Return what was found in short sentences that say what to do.

    Args:
        choice: the kind of project.
        views: the campaign without the canary.
    """
    lines = [*_head(choice, views), *_sections(diagnosis), *_end(diagnosis)]
    return "".join(f"{printable(line)}\n" for line in lines)


def _head(choice: Choice, views: CampaignViews) -> Iterator[str]:
    target, progress = views.target, views.progress
    read = "no configuration" if choice.file is None else str(choice.file)
    yield f"Project: {choice.kind.title}; {read}"
    yield f"Contract: {target.program.main}"
    yield f"Tests: {len(target.tests)} ({target.config.test_mode} mode)"
    yield "Called:"
    yield from (f"  {line}" for line in callee_lines(target))
    calls, rounds = counted(progress.calls, "call"), counted(progress.round, "round")
    yield f"Searched: {calls} in {rounds}, seed {target.config.seed}"


def _sections(diagnosis: Diagnosis) -> Iterator[str]:
    # What is a test and a function at once is told once.
    functions = [
        each
        for each in diagnosis.functions
        if each.function not in diagnosis.not_exercised
    ]
    yield from _section(_HONOUR, diagnosis.unsupported)
    yield from _section(
        _FALSIFIED,
        (f"{x.name}: {x.reason} (round {x.falsified_at})" for x in diagnosis.falsified),
    )
    yield from _section(
        _EXERCISE, (f"{name}: {why}" for name, why in diagnosis.not_exercised.items())
    )
    yield from _section(_SUCCEED, (each.text for each in functions))
    yield from _section(_CODE, diagnosis.without_code)
    yield from _section(_ADVICE, diagnosis.advice)
    yield from _section(_WITHOUT_EFFECT, diagnosis.without_effect)


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    found = list(lines)
    if found:
        yield ""
        yield f"{title}:"
        yield from (f"  {line}" for line in found)


def _end(diagnosis: Diagnosis) -> Iterator[str]:
    yield ""
    yield _canary(diagnosis.canary)
    if not diagnosis.healthy:
        yield "A campaign would not test all that it seems to test."
    elif diagnosis.falsified:
        yield "All is exercised; a test was falsified."
    else:
        yield "All is exercised."


def _canary(canary: CanaryOutcome) -> str:
    if not canary.found:
        return f"Canary: the planted failure was not found: {canary.reason}"
    calls = counted(canary.calls, "call")
    found = f"the planted failure was found in round {canary.round}, {calls}"
    return f"Canary: {': '.join([found, *canary.reproducer])}"


def diagnosis_json(choice: Choice, views: CampaignViews, diagnosis: Diagnosis) -> str:
    """Return the same as one JSON document, ASCII only; ends with a line feed."""
    target, canary = views.target, diagnosis.canary
    document = {
        "healthy": diagnosis.healthy,
        "project": {
            "kind": choice.kind.name,
            "configuration": None if choice.file is None else str(choice.file),
        },
        "contract": target.program.main,
        "testMode": target.config.test_mode,
        "tests": len(target.tests),
        "called": [
            {
                "contract": callee.contract.qualified_name,
                "address": _address(callee.address),
                "functions": len(callee.functions),
            }
            for callee in target.callees
        ],
        "seed": target.config.seed,
        "calls": views.progress.calls,
        "rounds": views.progress.round,
        "notHonoured": list(diagnosis.unsupported),
        "withoutEffect": list(diagnosis.without_effect),
        "falsified": [
            {"name": each.name, "reason": each.reason, "round": each.falsified_at}
            for each in diagnosis.falsified
        ],
        "notExercised": _named(diagnosis.not_exercised),
        "functions": [
            {"name": each.function, "calls": each.calls, "reason": each.reason}
            for each in diagnosis.functions
        ],
        "withoutCode": list(diagnosis.without_code),
        "advice": list(diagnosis.advice),
        "canary": {
            "found": canary.found,
            "round": canary.round,
            "calls": canary.calls,
            "reproducer": list(canary.reproducer),
            "reason": canary.reason or None,
        },
    }
    return json_text(document)


def _named(reasons: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"name": name, "reason": reason} for name, reason in reasons.items()]


def _address(address: int | None) -> str | None:
    return None if address is None else f"0x{address:040x}"
