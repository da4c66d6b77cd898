"""`echidna-mcp run --dry-run`: what would be deployed and fuzzed; nothing is fuzzed."""

from __future__ import annotations

import json
from collections.abc import Sequence

from echidna_mcp.cli.console.output import show
from echidna_mcp.cli.display.plan_lines import plan_json, plan_text
from echidna_mcp.cli.request.campaign import Request
from echidna_mcp.evm.outside import Answers, Outside
from echidna_mcp.outside.machine import Machine
from echidna_mcp.plugins.selection import pick_backend
from echidna_mcp.rounds.deployment import deployed_world


def show_plans(requests: Sequence[Request]) -> None:
    """Print the plans of campaigns; as JSON, if that is asked for, of several a list.

    Raises:
        DeploymentError: one can't be carried out.
    """
    for request in requests:
        backend = pick_backend(request.plugins.backends, request.options.backend)
        backend.load()
        known = Answers(request.target.world.answers)
        outside = Outside(known, Machine(request.root, request.config))
        deployed_world(backend, request.target, outside)
        if request.options.format != "json":
            show(plan_text(request.target), nl=False)
    if requests[0].options.format == "json":
        plans = [plan_json(request.target) for request in requests]
        show(json.dumps(plans if len(plans) > 1 else plans[0], indent=2))
