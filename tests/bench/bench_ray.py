"""What Ray costs a round: one campaign on `processes:2` and on `ray:2`, in turn."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from statistics import median, quantiles
from time import perf_counter

from campaign_loop import next_round

from echidna_mcp.campaign.reliable import ReliableExecutor
from echidna_mcp.campaign.start import calibrate
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.demo import load_demo
from echidna_mcp.events.event import Event
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.target import FuzzTarget, build_target
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp.rounds.call_codec import CallCodec
from echidna_mcp.rounds.engine import Engine
from echidna_mcp.rounds.replica import Replica, WorkerSetup
from echidna_mcp.views.campaign import CampaignViews
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE

EXECUTORS = ("processes:2", "ray:2")
WARM_UP = 15
PAIRS = 60
MEASURED = 5
ROUND_SECONDS = 0.5
"""What a round is to take, once the corpus is there."""


class Loop:
    """A campaign that runs on one executor, some rounds at a time."""

    def __init__(self, name: str, target: FuzzTarget, backend: BackendPlugin) -> None:
        self.executor: ReliableExecutor = make_executor(
            PluginManager.load().executors, name
        )
        self.engine = Engine(CampaignViews(target), CallCodec(target))
        self.executor.prepare(WorkerSetup(target, backend))
        self._news: Sequence[Event] = ()

    def seconds(self, rounds: int) -> float:
        """Run so many rounds; return how long one took."""
        begin = perf_counter()
        for _ in range(rounds):
            self._news = next_round(self.engine, self.executor, self._news)
        return (perf_counter() - begin) / rounds


def looped(name: str, config: CampaignConfig, backend: BackendPlugin) -> Loop:
    """Begin the campaign on an executor."""
    return Loop(name, build_target(load_demo(), config), backend)


def main() -> None:
    """Print seconds a round on both executors, and the ratio."""
    try:
        import ray  # noqa: F401, PLC0415 (an extra)
    except ImportError:
        print("absent: pip install 'echidna-mcp[ray]' first")
        return
    # What is compiled meanwhile would make rounds shorter, on one executor earlier.
    os.environ[HOT_VARIABLE] = "off"
    backend = PluginManager.load().backends[sys.argv[1] if sys.argv[1:] else "native"]
    config = CampaignConfig(
        seed=5, workers=8, test_mode="exploration", test_limit=None, round_budget=1
    )
    probe = Replica(WorkerSetup(build_target(load_demo(), config), backend))
    budget = calibrate(probe, 2)
    # Work that sequences share is counted for each of them, and takes no time: what a
    # round takes in the end shows in a campaign alone.
    trial = looped(EXECUTORS[0], replace(config, round_budget=budget), backend)
    try:
        trial.seconds(WARM_UP)
        budget = int(budget * ROUND_SECONDS / trial.seconds(MEASURED))
    finally:
        trial.executor.close()
    config = replace(config, round_budget=budget)
    loops = [looped(name, config, backend) for name in EXECUTORS]
    statistics = None
    try:
        for loop in loops:
            loop.seconds(WARM_UP)
        # In turn: whatever else the machine does is shared by both.
        pairs = [[loop.seconds(1) for loop in loops] for _ in range(PAIRS)]
        statistics = loops[-1].executor.statistics
    finally:
        for loop in loops:
            loop.executor.close()
    digests = {loop.engine.views.progress.state_digest for loop in loops}
    assert len(digests) == 1, "the same campaign has the same digest"
    processes, ray_ = zip(*pairs, strict=True)
    print(f"seconds a round, {PAIRS} rounds on each in turn: quartiles and median")
    for name, seconds in zip(EXECUTORS, (processes, ray_), strict=True):
        print(f"  {name:12}", *(f"{each:.3f}" for each in quantiles(seconds, n=4)))
    ratios = [one / other for other, one in pairs]
    print(f"  of sums {sum(ray_) / sum(processes):.3f}, median {median(ratios):.3f}")
    assert statistics is not None
    tasks = sum(node.tasks for node in statistics.nodes.values())
    print(f"  {tasks} tasks on Ray, of which {statistics.compared} ran a second time")


if __name__ == "__main__":
    main()
