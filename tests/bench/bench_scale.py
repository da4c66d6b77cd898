"""How a campaign on many machines scales: a model of a round beside measurements.

    python tests/bench/bench_scale.py [TURNS [FOLDER]]

With a folder, what was measured is kept there, for `scale_forecast.py FILE`.

Campaigns are recorded on one node with one actor, which tells the model what it has to
know, and then on two nodes of this machine with an actor each, in turn. What the model
says of two nodes is printed beside what was measured. Then it is asked about machines
that are not here.

Other programs on this machine take their part of it. Of the turns of a round that one
counts in which they took least, and only if that was little.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from random import Random
from statistics import fmean, median, quantiles
from typing import Any

import scale_forecast
from bench_native import SOURCES, compile_contract, config_of
from scale_inputs import fitted
from scale_messages import handling_without_work, measure_messages
from scale_model import Costs, Machines, Work, simulate
from scale_record import Campaign, Recorded, Recording, Times, record, setup_of

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.demo import load_demo
from echidna_mcp.rounds.tasks import RoundTask
from echidna_mcp_plugins.compilers.solidity.npm_solc import find_package
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE

TURNS = 3
QUIET = (0.15, 0.5)
"""Cores that other programs may have, of rounds that count."""
HERE = Path(__file__).parent
BUDGETS = {"demo": 480_000_000, "VaultHandler": 256_000_000}
"""Work units of a round: a third of a second on two cores, as in a campaign."""
ROUNDS = 32
SKIPPED = 9
"""The first rounds are short, and bring most of what is found."""
SETTLED = 20
"""From here on little is found, and tasks are more alike."""


@cache
def campaigns() -> tuple[Campaign, ...]:
    """Return what is recorded on one node and on two."""
    demo = CampaignConfig(seed=5, test_mode="exploration", test_limit=None)
    found = [("demo", load_demo(), demo, workers) for workers in (2, 8, 64)]
    package = find_package(SOURCES)
    if package is not None and (package.parent / "@openzeppelin").is_dir():
        vault = compile_contract("VaultHandler", package.parent / "@openzeppelin")
        found.append(("VaultHandler", vault, config_of("VaultHandler"), 8))
    return tuple(
        Campaign(
            f"{name}, {workers} workers",
            program,
            replace(config, workers=workers, round_budget=BUDGETS[name] // workers),
            ROUNDS,
            SKIPPED,
        )
        for name, program, config, workers in found
    )


# ------------------------------------------------------------------- two nodes


@dataclass(slots=True)
class Turns:
    """The recordings of a campaign."""

    campaign: Campaign
    one_node: list[Recording] = field(default_factory=list)
    two_nodes: list[Recording] = field(default_factory=list)

    @property
    def workers(self) -> int:
        """How many logical workers it has."""
        return self.campaign.config.workers

    def stretched(self) -> Iterator[tuple[Recorded, float]]:
        """Yield all rounds on two nodes, and how many times as long tasks took there.

        That is because they had to wait for a core.
        """
        for recording in self.two_nodes:
            for one in recording.rounds:
                keys = [(one.number, worker) for worker in range(self.workers)]
                spent = sum(recording.kept.tasks[key] for key in keys)
                yield one, 1 + sum(recording.kept.waits[key] for key in keys) / spent

    def quietest(self) -> list[Recorded]:
        """Return the rounds on two nodes, each as it went with the least around it."""
        found: dict[int, Recorded] = {}
        for recording in self.two_nodes:
            for one in recording.rounds:
                known = found.setdefault(one.number, one)
                if one.others < known.others:
                    found[one.number] = one
        return list(found.values())

    def tasks(self) -> Times:
        """Return the least processor time of each: what is around makes it longer."""
        found: Times = {}
        for recording in self.one_node:
            for key, seconds in recording.kept.tasks.items():
                found[key] = min(seconds, found.get(key, seconds))
        return found

    def spread(self) -> list[float]:
        """Return how long settled tasks take in relation to the mean of their round."""
        tasks, found = self.tasks(), []
        for one in self.one_node[0].rounds[SETTLED - SKIPPED :]:
            those = [tasks[one.number, worker] for worker in range(self.workers)]
            found += [each / fmean(those) for each in those]
        return found


def work_of(one: Recorded, tasks: Sequence[float]) -> Work:
    """Return what there was to do in a round."""
    from echidna_mcp_plugins.executors.ray.executor import (  # noqa: PLC0415 (an extra)
        is_compared,
    )

    return Work(
        tasks=tasks,
        twice=[
            worker
            for worker in range(len(tasks))
            if is_compared(RoundTask(round=one.number, worker=worker, budget=1))
        ],
        delta=one.delta,
        result=int(one.result),
    )


def compare(turns: Turns, costs: Costs) -> None:
    """Print what the model says of rounds on two nodes, and what was measured."""
    rounds = turns.quietest()
    others = median(each.others for each in rounds)
    print(f"{turns.campaign.name}: others had {others:.2f} cores in the median")
    for most in QUIET:
        quiet = [each for each in rounds if each.others <= most]
        if quiet:
            print(f"  {len(quiet)} of {len(rounds)} rounds, with {most} at most")
            _print_ratios(turns, costs, quiet)
    _print_stretched(turns, costs)


def _print_stretched(turns: Turns, costs: Costs) -> None:
    """Print the same of all rounds, the model knowing how long tasks had no core."""
    tasks, pairs = turns.tasks(), []
    for one, stretch in turns.stretched():
        exact = [tasks[one.number, worker] for worker in range(turns.workers)]
        machines = Machines(actors=2, nodes=2, stretch=stretch)
        said = simulate(machines, costs, work_of(one, exact)).seconds
        pairs.append((said, one.seconds, stretch))
    said, measured, stretch = (fmean(each) for each in zip(*pairs, strict=True))
    ratios = quantiles([said / was for said, was, _ in pairs], n=4)
    print(
        f"  all {len(pairs)} rounds, tasks stretched {stretch:.2f} times: said "
        f"{said:.4f} s, measured {measured:.4f} s, ratio {said / measured:.3f}; one by "
        f"one quartiles {', '.join(f'{each:.3f}' for each in ratios)}"
    )


def _print_ratios(turns: Turns, costs: Costs, rounds: Sequence[Recorded]) -> None:
    tasks, spread, random = turns.tasks(), turns.spread(), Random(1)
    said, drawn, ratios, idle, was_idle = 0.0, 0.0, [], [], []
    for one in rounds:
        machines = Machines(actors=2, nodes=2, cores=2 - one.others)
        exact = [tasks[one.number, worker] for worker in range(turns.workers)]
        each = simulate(machines, costs, work_of(one, exact))
        said += each.seconds
        ratios.append(each.seconds / one.seconds)
        idle.append(1 - sum(exact) / 2 / each.seconds)
        was_idle.append(1 - sum(exact) / 2 / one.seconds)
        length = fmean(exact)
        any_ = [length * random.choice(spread) for _ in exact]
        drawn += simulate(machines, costs, work_of(one, any_)).seconds
    measured = sum(each.seconds for each in rounds)
    low, middle, high = min(ratios), median(ratios), max(ratios)
    print(
        f"    a round: said {said / len(rounds):.4f} s, measured "
        f"{measured / len(rounds):.4f} s, ratio {said / measured:.3f}; one by one "
        f"{low:.2f} to {high:.2f}, median {middle:.3f}\n"
        f"    with tasks drawn from their distribution: ratio {drawn / measured:.3f}\n"
        f"    of two cores no task had {fmean(idle):.1%}, measured "
        f"{fmean(was_idle):.1%}"
    )


def record_turn(ray: Any, all_turns: Sequence[Turns]) -> Costs:
    """Record each campaign on one node and on two; return what steps cost."""
    from ray_clusters import cluster_of  # noqa: PLC0415 (an extra)

    with cluster_of(1) as cluster:
        os.environ["RAY_ADDRESS"] = cluster.address
        for turns in all_turns:
            turns.one_node.append(record(turns.campaign, "ray:1"))
    with cluster_of(1, 1) as cluster:
        os.environ["RAY_ADDRESS"] = cluster.address
        handling = handling_without_work(setup_of(all_turns[0].campaign))
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        messages = measure_messages(ray, handling)
        ray.shutdown()
        for turns in all_turns:
            turns.two_nodes.append(record(turns.campaign, "ray:2"))
    every = [(turns.workers, each) for turns in all_turns for each in turns.one_node]
    return fitted(messages, every)


def main(words: Sequence[str] = ()) -> None:
    """Print all of it."""
    try:
        import ray  # noqa: PLC0415 (an extra)
    except ImportError:
        print("absent: pip install 'echidna-mcp[ray]' first")
        return
    sys.path.append(str(HERE.parent / "support"))
    os.environ[HOT_VARIABLE] = "off"
    # Ray's workers import the actor that is recorded, and don't step back.
    path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
    os.environ.update({"RAY_worker_niceness": "0", "PYTHONPATH": path})
    every = [Turns(campaign) for campaign in campaigns()]
    for number in range(int(words[0]) if words else TURNS):
        costs = record_turn(ray, every)
        print(f"-- after turn {number + 1}", flush=True)
        for turns in every:
            recorded = (*turns.one_node, *turns.two_nodes)
            assert len({each.digest for each in recorded}) == 1, "the same campaign"
            compare(turns, costs)
        if len(words) > 1:
            _keep(costs, every, Path(words[1]))
    print(costs)
    for turns in (every[1], every[-1]):
        print(f"\n== {turns.campaign.name}")
        last = turns.two_nodes[-1].rounds[-1]
        scale_forecast.print_all(costs, turns.spread(), int(last.result))


def _keep(costs: Costs, every: Sequence[Turns], folder: Path) -> None:
    """Keep what was measured, so that the model can be asked later."""
    for turns in every:
        place = folder / f"{turns.campaign.name}.json"
        last = turns.two_nodes[-1].rounds[-1]
        scale_forecast.dump(costs, turns.spread(), int(last.result), place)


if __name__ == "__main__":
    main(sys.argv[1:])
