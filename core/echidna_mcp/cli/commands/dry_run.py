"""`echidna-mcp run --dry-run`: what would be deployed and fuzzed; nothing is run."""

from __future__ import annotations

import json

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.display.plan_lines import plan_text
from echidna_mcp.cli.request.campaign import Request


def show_plan(request: Request) -> None:
    """Print the plan of a campaign, as JSON if that is asked for."""
    if request.options.format == "json":
        show(json.dumps(request.target.to_json(), indent=2))
    else:
        show(plan_text(request.target), nl=False)
