"""`echidna-mcp doctor`: whether a campaign would test anything, in some seconds.

Two campaigns as `run` has them, in a directory that is removed afterwards. The first is
the user's. The second has a canary beside it (`program.canary`) and ends when that is
found. Both end by a limit of calls, or else by time, as `run` does.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from echidna_mcp.campaign.director import StopReason
from echidna_mcp.campaign.start import Provenance, new_campaign
from echidna_mcp.cli.commands.conclusion import NOT_EXERCISED, refuse_disputes
from echidna_mcp.cli.commands.fuzzing import fuzz
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.display.diagnosis_report import diagnosis_json, diagnosis_text
from echidna_mcp.cli.request.campaign import (
    Request,
    make_request,
    read_settings,
    told_if_slow,
)
from echidna_mcp.errors import DefectError, TargetError
from echidna_mcp.events.store import store_path
from echidna_mcp.evm.outside import Outside
from echidna_mcp.plugins.selection import make_executor, pick_backend
from echidna_mcp.program.canary import with_canary
from echidna_mcp.program.target import FuzzTarget
from echidna_mcp.reports.canary_search import CanaryOutcome, canary_outcome
from echidna_mcp.reports.diagnosis import Diagnosis, advice, codeless, idle_functions
from echidna_mcp.rounds.deployment import deployed_world
from echidna_mcp.views.campaign import CampaignViews


def doctor(parameters: dict[str, Any]) -> None:
    """Run the command, with the parameters of the command line; exit with the result.

    That is 1 if a test was falsified, and else 4 if the diagnosis is not healthy.

    Raises:
        DisputedTestsError: two EVMs disagree on a test.
    """
    settings = read_settings(
        {
            **parameters,
            "corpus_dir": None,
            "corpus_format": None,
            "campaigns": None,
            "coverage_dir": None,
            "coverage_formats": None,
            "coverage_excludes": None,
            "ignore_unsupported": True,  # All that is wrong is told at once.
        }
    )
    # Nothing is inherited: what is told here is what a campaign finds by itself.
    options = replace(settings.options, corpus_dir=None)
    settings = replace(settings, options=options)
    request = make_request(settings, unlimited=False)
    with _scratch() as directory:
        views = _searched(request, request.target, directory / "search")
        canary = _canary(request, directory / "canary")
    diagnosis = _diagnosis(request, views, canary)
    match options.format:
        case "json":
            show(diagnosis_json(settings.choice, views, diagnosis), nl=False)
        case None | "text" | "github":
            show(diagnosis_text(settings.choice, views, diagnosis), nl=False)
    if diagnosis.falsified:
        sys.exit(1)
    refuse_disputes([record.name for record in views.properties.disputed])
    if not diagnosis.healthy:
        sys.exit(NOT_EXERCISED)


@contextmanager
def _scratch() -> Iterator[Path]:
    """Make a directory that stays only if it holds the bundle of a crash."""
    directory = Path(tempfile.mkdtemp(prefix="echidna-mcp-doctor-"))
    try:
        yield directory
    except DefectError:
        raise
    except BaseException:
        shutil.rmtree(directory, ignore_errors=True)
        raise
    shutil.rmtree(directory, ignore_errors=True)


def _canary(request: Request, directory: Path) -> CanaryOutcome:
    """Search the canary beside the user's contracts."""
    try:
        target = with_canary(request.target)
    except TargetError as error:
        return CanaryOutcome(found=False, round=None, calls=0, reason=error.message)
    views = _searched(
        request, target, directory, lambda views: canary_outcome(views).found
    )
    return canary_outcome(views)


def _searched(
    request: Request,
    target: FuzzTarget,
    directory: Path,
    enough: Callable[[CampaignViews], bool] = lambda _: False,
) -> CampaignViews:
    """Run a campaign on a target and return its state at the end.

    Raises:
        KeyboardInterrupt: somebody asked for the end before it was there.
    """
    options = request.options
    executor = make_executor(request.plugins.executors, options.executor)
    try:
        with told_if_slow(request):
            campaign = new_campaign(
                store_path(directory),
                target.program,
                # What a fuzzer finds shows whether it can be found; and soon.
                replace(target.config, solver=""),
                backend=pick_backend(request.plugins.backends, options.backend),
                executor=executor,
                provenance=Provenance(
                    backend=options.backend,
                    executor=options.executor,
                    plugins=request.plugins.loaded,
                ),
                nice=options.nice or 0,
                root=request.root,
                world=target.world,
            )
        views = campaign.engine.views
        with campaign.store:
            fuzz(campaign, executor, options.timeout, enough=lambda: enough(views))
    finally:
        executor.close()
    if views.progress.stopped == StopReason.Killed.name and not enough(views):
        raise KeyboardInterrupt
    return views


def _diagnosis(
    request: Request, views: CampaignViews, canary: CanaryOutcome
) -> Diagnosis:
    target, excused = request.target, request.may_be_unexercised
    backend = pick_backend(request.plugins.backends, request.options.backend)
    outside = Outside(views.outside.answers)
    evm, _ = deployed_world(backend, target, outside)
    with_code = [address for address, account in evm.accounts() if account.code]
    without_effect = (x for x in request.unhonoured if x not in request.unsupported)
    return Diagnosis(
        unsupported=request.unsupported,
        without_effect=tuple(without_effect),
        falsified=tuple(views.properties.falsified),
        not_exercised={
            name: reason
            for name, reason in views.not_exercised().items()
            if name not in excused
        },
        functions=tuple(idle_functions(views, excused)),
        without_code=tuple(codeless(target, with_code)),
        advice=tuple(advice(target)),
        canary=canary,
    )
