"""`echidna-mcp run`: a campaign without a server, for a person or for CI."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any

from echidna_mcp.cli.ci.wishes import CiWishes
from echidna_mcp.cli.commands.conclusion import (
    Ended,
    conclude,
    ended_campaign,
)
from echidna_mcp.cli.commands.dry_run import show_plans
from echidna_mcp.cli.commands.fuzzing import fuzz
from echidna_mcp.cli.commands.sealing import sealed_at_the_end
from echidna_mcp.cli.commands.suite import run_suite
from echidna_mcp.cli.commands.tracing import Tracing
from echidna_mcp.cli.commands.writing_back import written_back
from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.display.machines import machine_lines
from echidna_mcp.cli.display.reporter import make_reporter
from echidna_mcp.cli.request.campaign import (
    make_wishes,
    read_settings,
    request_for,
    told_if_slow,
)
from echidna_mcp.cli.request.evidence import wishes_at_the_end
from echidna_mcp.cli.request.injections import check_injections, read_injections
from echidna_mcp.cli.request.machine_use import tell_misuse
from echidna_mcp.errors import UsageError
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.server.campaign_process import open_campaign

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from echidna_mcp.campaign.reliable import ReliableExecutor
    from echidna_mcp.cli.project.watching import Watch
    from echidna_mcp.cli.request.campaign import Request
    from echidna_mcp.views.campaign import CampaignViews


def run(parameters: dict[str, Any], watcher: Watch | None = None) -> None:
    """Run the command, with the parameters of the command line.

    Args:
        parameters: those of the command; some are taken out.
        watcher: asked after each commit whether that is enough.

    Raises:
        UsageError: something is to be sealed of a campaign that is only shown.
    """
    dry_run = parameters.pop("dry_run")
    tracing = Tracing(parameters.pop("trace"), parameters.pop("export_foundry"))
    injections = read_injections(parameters.pop("inject"))
    ci = CiWishes.taken_from(parameters)
    sealing = wishes_at_the_end(parameters)
    if dry_run and sealing is not None:
        raise UsageError(
            "--dry-run fuzzes nothing that could be sealed; leave --seal out."
        )
    settings = read_settings(parameters)
    wishes = make_wishes(settings, unlimited=False)
    if dry_run:
        show_plans([request_for(settings, wish) for wish in wishes])
        tell_misuse(settings)
        return
    with sealed_at_the_end(sealing) as ended, written_back(settings, ended):

        def run_one(
            request: Request, timeout: int | None, *, warned: bool = True
        ) -> Ended:
            plugins, name = request.plugins, request.options.executor
            with closing(make_executor(plugins.executors, name)) as executor:
                if not warned:
                    tell_misuse(settings, executor)
                views, directory = run_campaign(
                    request, executor, timeout, injections, watcher
                )
            ended.append(directory)
            watched = watcher is not None
            it = ended_campaign(request, views, directory, watched=watched)
            if watcher is not None:
                watcher.ended(request, views, it.earlier)
            return it

        if wishes[0].config.of_foundry:
            if injections:
                raise UsageError(
                    "--inject is for a campaign on one target; each contract with "
                    "tests of Foundry has its own. Leave it out, or choose another "
                    "--test-mode."
                )
            tell_misuse(settings)
            run_suite(settings, wishes, run_one, tracing, ci)
        else:
            request = request_for(settings, wishes[0])
            ended_one = run_one(request, request.options.timeout, warned=False)
            conclude(request, tracing, ci, ended_one)


def run_campaign(
    request: Request,
    executor: ReliableExecutor,
    timeout: int | None,
    sequences: Sequence[Sequence[str]] = (),
    watcher: Watch | None = None,
) -> tuple[CampaignViews, Path]:
    """Run a campaign until it ends, or for so many seconds at most.

    Args:
        request: what is asked for.
        executor: not prepared.
        timeout: the seconds; None for any number.
        sequences: calls that are executed at the beginning.
        watcher: asked after each commit whether it is to stop at once.

    Returns:
        Its state, and the directory in which it lies.
    """
    with told_if_slow(request):
        campaign = open_campaign(
            request.spec(keep_going=False), request.plugins, executor
        )
    views = campaign.engine.views
    injections = check_injections(sequences, views.target)
    reporter = make_reporter(
        request.options.progress_format,
        views,
        sys.stderr,
        sys.stderr.isatty(),
        lambda: executor.statistics,
    )
    with campaign.store:
        reporter.events(tuple(campaign.store.read()))
        if campaign.opened:
            request.plugins.events_committed(campaign.opened)
        observers = [request.plugins.events_committed, reporter.events]
        try:
            fuzz(
                campaign,
                executor,
                timeout,
                observers,
                enough=None if watcher is None else watcher.has_news,
                injections=injections,
            )
        finally:
            reporter.close()
    _show_machines(request, executor)
    return views, campaign.store.path.parent


def _show_machines(request: Request, executor: ReliableExecutor) -> None:
    """Say what each machine did, where progress goes, if there are several."""
    told = executor.statistics
    if told is not None and request.options.progress_format in {None, "text", "github"}:
        for line in machine_lines(told):
            show(line, err=True)
