"""The last line of a result: what was not covered or exercised, and why."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from echidna_mcp.program.model import Span
from echidna_mcp.reports.diagnosis import idle_functions
from echidna_mcp.reports.files import FileCoverage, file_coverage
from echidna_mcp.reports.lines import CoverageIndex
from echidna_mcp.reports.uncovered import uncalled_contracts, uncovered_functions

if TYPE_CHECKING:
    from echidna_mcp.views.campaign import CampaignViews

_MOST: Final = 5
"""Places, functions and tests that are told of each."""


def missing_lines(
    campaigns: Iterable[CampaignViews],
) -> tuple[dict[str, list[int]], int]:
    """Return the lines that no campaign has executed, by path, and how many there are.

    Args:
        campaigns: those of one result; what one of them has executed is covered.
    """
    covered: dict[tuple[str, int], bool] = {}
    for group in _by_program(campaigns):
        for path, file in _files(group).items():
            for line, count in file.lines.items():
                covered[path, line] = covered.get((path, line), False) or count > 0
    missing: dict[str, list[int]] = {}
    for path, line in sorted(place for place, hit in covered.items() if not hit):
        missing.setdefault(path, []).append(line)
    return missing, len(covered)


def _by_program(campaigns: Iterable[CampaignViews]) -> Iterable[list[CampaignViews]]:
    """Return the campaigns of each program: a suite has many of a single one."""
    groups: dict[object, list[CampaignViews]] = {}
    for views in campaigns:
        program = views.target.program
        names = tuple(contract.qualified_name for contract in program.contracts)
        key = program.compiler, program.sources, names
        groups.setdefault(key, []).append(views)
    return groups.values()


def _files(group: Sequence[CampaignViews]) -> dict[str, FileCoverage]:
    """Return what campaigns of one program have covered together."""
    program = group[0].target.program
    uncovered = frozenset[Span]().union(*(uncovered_functions(v.target) for v in group))
    uncalled = frozenset[str]().union(*(uncalled_contracts(v.target) for v in group))
    covered: dict[str, set[int]] = {}
    for views in group:
        for key, counters in views.coverage.covered().items():
            covered.setdefault(key, set()).update(counters)
    return file_coverage(CoverageIndex(program, uncovered, uncalled), covered)


def closing_line(
    campaigns: Sequence[CampaignViews], unexercised: Mapping[str, str]
) -> str:
    """Return one line: which lines were missed, what never succeeded, and why.

    Args:
        campaigns: those of one result.
        unexercised: why tests were not exercised, by name.
    """
    parts = [_coverage(campaigns)]
    idle = {
        each.function: each.text
        for views in campaigns
        if views.exercise.known
        and views.progress.round
        and not views.target.config.checks("stateless")  # Its functions are its tests.
        for each in idle_functions(views)
        if each.function not in unexercised
    }
    if idle:
        parts.append(_some("never succeeded", list(idle.values())))
    tests = [f"{name} ({reason})" for name, reason in unexercised.items()]
    if tests:
        parts.append(_some("not exercised", tests))
    return f"Not covered: {'; '.join(parts)}"


def _coverage(campaigns: Sequence[CampaignViews]) -> str:
    watched = [views for views in campaigns if views.target.config.coverage]
    if not watched:
        return "unknown, since no coverage was collected"
    missing, total = missing_lines(watched)
    if not total:
        return "unknown, since there are no sources"
    number = sum(map(len, missing.values()))
    if not number:
        return f"nothing of {total} lines"
    places = [
        f"{path}:{first}" if first == last else f"{path}:{first}-{last}"
        for path, lines in missing.items()
        for first, last in ranges(lines)
    ]
    return _some(f"{number} of {total} lines", places)


def ranges(lines: Sequence[int]) -> list[tuple[int, int]]:
    """Return first and last of each run of ascending numbers."""
    found: list[tuple[int, int]] = []
    for line in lines:
        if found and line == found[-1][1] + 1:
            found[-1] = found[-1][0], line
        else:
            found.append((line, line))
    return found


def _some(what: str, told: Sequence[str]) -> str:
    more = f", and {len(told) - _MOST} more" if len(told) > _MOST else ""
    return f"{what}: {', '.join(told[:_MOST])}{more}"
