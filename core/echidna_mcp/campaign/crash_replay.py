"""Doing again what has crashed, from its bundle."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace

from echidna_mcp.campaign.crash_bundle import Bundle
from echidna_mcp.campaign.fresh import FreshProcessError, in_fresh_process
from echidna_mcp.campaign.reliable import reliable_confirmation, run_alone
from echidna_mcp.errors import StoreTamperedError
from echidna_mcp.events.event import Event
from echidna_mcp.evm.outside import Reply, Request, nothing_outside
from echidna_mcp.rounds.asking import answered_results
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.confirmation import judge_alone
from echidna_mcp.rounds.engine import Engine
from echidna_mcp.rounds.replica import WorkerSetup, relevant
from echidna_mcp.rounds.tasks import RoundResult, RoundTask
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
    if bundle.claim is not None:
        answers = views.outside.answers
        for request, reply in bundle.answers:
            answers.add(request, reply)
        judge_alone(views.target, answers, backend.trusted, *bundle.claim)
        return
    confirmation = reliable_confirmation(views, backend)
    engine = Engine(views, CallCodec(views.target), confirmation)
    plan = engine.plan(drain=bundle.drain, solved=lambda _: bundle.solved)
    past = relevant(bundle.events)
    known = dict(bundle.answers)

    def run(news: Sequence[Event], tasks: Sequence[RoundTask]) -> Iterator[RoundResult]:
        past.extend(news)
        return (run_alone(setup, past, task) for task in tasks)

    def recorded(request: Request) -> Reply:
        return known.get(request) or nothing_outside(request)

    if bundle.job == "task" and bundle.worker is not None:
        alone = replace(plan, tasks=(plan.tasks[bundle.worker],))
        deque(answered_results(engine, alone, (), run, recorded), maxlen=0)
    else:
        results = [*answered_results(engine, plan, (), run, recorded)]
        engine.merge(plan, results, engine.confirm(results))
