"""`echidna-mcp run`: a campaign without a server, for a person or for CI."""

from __future__ import annotations

import sys
from typing import Any

from echidna_mcp.cli.commands.conclusion import conclude
from echidna_mcp.cli.commands.dry_run import show_plan
from echidna_mcp.cli.commands.fuzzing import fuzz
from echidna_mcp.cli.display.reporter import make_reporter
from echidna_mcp.cli.request.campaign import make_request, read_settings, told_if_slow
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.server.campaign_process import open_campaign


def run(parameters: dict[str, Any]) -> None:
    """Run the command, with the parameters of the command line."""
    dry_run = parameters.pop("dry_run")
    request = make_request(read_settings(parameters), unlimited=False)
    if dry_run:
        show_plan(request)
        return
    executor = make_executor(request.plugins.executors, request.options.executor)
    try:
        with told_if_slow(request):
            campaign = open_campaign(
                request.spec(keep_going=False), request.plugins, executor
            )
        views = campaign.engine.views
        reporter = make_reporter(
            request.options.progress_format, views, sys.stderr, sys.stderr.isatty()
        )
        with campaign.store:
            reporter.events(campaign.events)
            if campaign.opened:
                request.plugins.events_committed(campaign.opened)
            observers = [request.plugins.events_committed, reporter.events]
            try:
                fuzz(campaign, executor, request.options.timeout, observers)
            finally:
                reporter.close()
    finally:
        executor.close()
    conclude(request, views, campaign.store.path.parent)
