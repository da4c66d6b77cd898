"""Doing again what has crashed, from its bundle."""

from __future__ import annotations

from echidna_mcp.campaign.crash_bundle import Bundle
from echidna_mcp.campaign.fresh import FreshProcessError, in_fresh_process
from echidna_mcp.campaign.reliable import reliable_confirmation, run_alone
from echidna_mcp.errors import StoreTamperedError
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.confirmation import judge_alone
from echidna_mcp.rounds.engine import Engine
from echidna_mcp.rounds.replica import WorkerSetup, relevant
from echidna_mcp.views.campaign import CampaignViews


def fail_again(bundle: Bundle, backend: BackendPlugin) -> str | None:
    """Do what failed once more, in a fresh process.

    Returns:
        The traceback, or how the process ended; None if it does not fail here.

    Raises:
        StoreTamperedError: the store does not begin with the start of a campaign.
    """
    if not bundle.events or bundle.events[0].type != "CampaignStarted":
        raise StoreTamperedError("The store does not begin with CampaignStarted.")
    try:
        in_fresh_process(_do, bundle, backend)
    except FreshProcessError as error:
        return str(error)
    return None


def _do(bundle: Bundle, backend: BackendPlugin) -> None:
    views = CampaignViews.folded(bundle.events)
    setup = WorkerSetup(views.target, backend)
    confirmation = reliable_confirmation(views.target, backend)
    engine = Engine(views, CallCodec(views.target), confirmation)
    plan = engine.plan(drain=bundle.drain)
    past = relevant(bundle.events)
    if bundle.claim is not None and backend.reference is not None:
        judge_alone(views.target, backend.reference, *bundle.claim)
    elif bundle.job == "task" and bundle.worker is not None:
        run_alone(setup, past, plan.tasks[bundle.worker])
    else:
        results = [run_alone(setup, past, task) for task in plan.tasks]
        engine.merge(plan, results, engine.confirm(results))
