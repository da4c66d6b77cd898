"""`echidna-mcp run --dry-run`: what would be deployed and fuzzed; nothing is fuzzed."""

from __future__ import annotations

import json

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.display.plan_lines import plan_json, plan_text
from echidna_mcp.cli.request.campaign import Request
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.rounds.deployment import deployed_world


def show_plan(request: Request) -> None:
    """Print the plan of a campaign, as JSON if that is asked for.

    Raises:
        DeploymentError: it can't be carried out.
    """
    backend = pick_backend(request.plugins.backends, request.options.backend)
    backend.load()
    deployed_world(backend, request.target)
    if request.options.format == "json":
        show(json.dumps(plan_json(request.target), indent=2))
    else:
        show(plan_text(request.target), nl=False)
