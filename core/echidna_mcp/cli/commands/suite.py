"""`echidna-mcp run` of Foundry's tests: one campaign after another, one result."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from echidna_mcp.campaign.director import StopReason
from echidna_mcp.cli.ci.results import TestResult, TraceOf, suite_results
from echidna_mcp.cli.commands.conclusion import (
    NOT_EXERCISED,
    refuse_disputes,
    tell_end,
)
from echidna_mcp.cli.commands.covering import cover
from echidna_mcp.cli.commands.tracing import trace_finder
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.display.suite_report import SuiteReport
from echidna_mcp.cli.request.campaign import request_for, tests_meant
from echidna_mcp.config.project_files import project_root
from echidna_mcp.errors import DeploymentError, StepFailedError, TargetError
from echidna_mcp.program.foundry_tests import foundry_tests

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from echidna_mcp.cli.ci.wishes import CiWishes
    from echidna_mcp.cli.commands.conclusion import Ended
    from echidna_mcp.cli.commands.tracing import Tracing
    from echidna_mcp.cli.request.campaign import Request, Settings, Wish
    from echidna_mcp.views.campaign import CampaignViews

    RunOne = Callable[[Request, int | None], Ended]


def run_suite(
    settings: Settings,
    wishes: Sequence[Wish],
    run_one: RunOne,
    tracing: Tracing,
    ci: CiWishes,
) -> None:
    """Run the campaigns of a suite, print the result, and exit with what it says.

    That is 1 if a test has failed that is not known to, or a contract could not be set
    up, and 4 if none did, but one was not exercised.

    Args:
        settings: what is asked for.
        wishes: the campaigns.
        run_one: runs a campaign until its end, or for so many seconds at most. When one
            is stopped, no other one begins: the tests of those are not exercised.
        tracing: which traces and exports are wanted.
        ci: which files are wanted, and what is known.

    Raises:
        DisputedTestsError: two EVMs disagree on a test.
    """
    form = settings.options.format
    report = SuiteReport(settings.loaded.unhonoured)
    allowed = _allowed(settings.parameters["allow_not_exercised"], wishes)
    begun = time.monotonic()
    broken: set[str] = set()
    results: list[TestResult] = []
    root = project_root(settings.path or Path.cwd())
    is_stopped = False
    for number, wish in enumerate(wishes):
        if wish.program.main in broken:
            continue
        traced: tuple[Request, CampaignViews] | None = None
        if is_stopped:
            verdicts = report.add_unrun(wish.program, wish.config)
        else:
            share = _share(settings.options.timeout, begun, len(wishes) - number)
            seconds = min(filter(None, (share, wish.timeout)), default=None)
            try:
                request = request_for(settings, wish)
                ended = run_one(request, seconds)
                is_stopped = ended.views.progress.stopped == StopReason.Killed.name
                wanted = form == "json"
                traces = tracing.documents(request, ended.views) if wanted else None
                verdicts = report.add(
                    ended.views,
                    ended.directory,
                    request.unhonoured,
                    traces,
                    ended.earlier,
                )
                cover(request, ended.views, ended.directory)
                traced = request, ended.views
                tracing.export(request, ended.views)
            except StepFailedError as error:
                verdicts = report.add_failed(wish.program, wish.config, error)
            except (DeploymentError, TargetError) as error:
                broken.add(wish.program.main)
                verdicts = report.add_broken(wish.program, error)
        find: TraceOf = _no_trace if traced is None else trace_finder(*traced)
        views = None if traced is None else traced[1]
        own = suite_results(verdicts, wish.program, views, find)
        report.describe(ci.details(own, root))
        results += own
        if form != "json":
            show(report.last_text(), nl=False)
            if traced is not None:
                tracing.show(*traced)
    if form == "json":
        show(report.json(), nl=False)
    else:
        show(report.summary(), nl=False)
    tell_end(form, ci, results, root, report.closing_line())
    _exit(report, allowed, failed=bool(ci.new(results)))


def _share(timeout: int | None, begun: float, campaigns: int) -> int | None:
    """Return the seconds that a campaign may take, of those that are left to all."""
    if timeout is None:
        return None
    left = timeout - (time.monotonic() - begun)
    return max(1, int(left / campaigns))


def _no_trace(_name: str) -> None:
    """Return that there is no trace, where nothing has run."""


def _exit(report: SuiteReport, allowed: frozenset[str], *, failed: bool) -> None:
    if failed:
        sys.exit(1)
    refuse_disputes(report.named("disputed"))
    if set(report.named("not exercised")) - allowed:
        sys.exit(NOT_EXERCISED)


def _allowed(names: Sequence[str], wishes: Sequence[Wish]) -> frozenset[str]:
    """Return the tests that are meant by names, as `Contract.test(types)`.

    The contract may be left out, and the types.

    Raises:
        UsageError: there is no such test.
    """
    meant: dict[str, set[str]] = {}
    for wish in wishes:
        contract = wish.program.main_contract
        for function, _ in foundry_tests(contract):
            whole = f"{contract.name}.{function.signature}"
            for each in (whole, function.signature):
                for name in (each, each.partition("(")[0]):
                    meant.setdefault(name, set()).add(whole)
    return tests_meant(names, meant)
