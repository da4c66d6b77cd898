"""A campaign without store and server: plan, run, merge, fold, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter, process_time
from typing import NamedTuple

from echidna_mcp.campaign.executor import Executor
from echidna_mcp.campaign.start import calibrate
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.events.event import Event, as_event
from echidna_mcp.program.model import Program
from echidna_mcp.program.target import build_target
from echidna_mcp.program.world import ALONE, World
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.engine import Engine
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.views.campaign import CampaignViews

WARM_UP = 10
"""Rounds that are not measured: the first ones are short, and find most coverage."""


class Speed(NamedTuple):
    """Calls per second of processor time (all threads), and of wall time."""

    processor: float
    wall: float


def measure(
    program: Program,
    config: CampaignConfig,
    backend: BackendPlugin,
    executor: Executor,
    *,
    seconds: float,
    as_configured: bool = False,
    world: World = ALONE,
) -> Speed:
    """Run rounds until they have taken so many seconds of wall time.

    The executor is closed.

    Args:
        program, config: the campaign.
        backend, executor: what it runs on.
        seconds: how long.
        as_configured: take the logical workers and the round budget of the config.
            Otherwise workers are as many as the executor has physical ones, and a round
            takes as long as in a campaign.
        world: what is called beside the main contract.
    """
    if not as_configured:
        config = replace(config, workers=executor.physical_workers, round_budget=1)
        probe = Replica(WorkerSetup(build_target(program, config, world), backend))
        budget = calibrate(probe, executor.physical_workers)
        config = replace(config, round_budget=budget)
    target = build_target(program, config, world)
    engine = Engine(CampaignViews(target), CallCodec(target))
    news: Sequence[Event] = ()
    try:
        executor.prepare(WorkerSetup(target, backend))
        for _ in range(WARM_UP):
            news = next_round(engine, executor, news)
        calls = engine.views.progress.calls
        cpu, wall = process_time(), perf_counter()
        while perf_counter() - wall < seconds:
            news = next_round(engine, executor, news)
        cpu, wall = process_time() - cpu, perf_counter() - wall
    finally:
        executor.close()
    assert not engine.views.properties.falsified, "a falsified property is not checked"
    calls = engine.views.progress.calls - calls
    return Speed(calls / cpu, calls / wall)


def next_round(
    engine: Engine, executor: Executor, news: Sequence[Event]
) -> Sequence[Event]:
    """Run a round; return what it has brought."""
    plan = engine.plan()
    results = list(executor.run(news, plan.tasks))
    return [as_event(event) for event in engine.merge(plan, results)]
