"""What the model of a round (`scale_model`) says of 64 to 4,096 cores.

Two things are taken for granted that one machine can't show: a network of 10 Gbit/s
with a tenth of a millisecond each way, and nodes of 32 cores. All else is measured.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from scale_model import Costs, Linear, Machines, Round, Work, simulate

CORES = (64, 256, 1024, 4096)
ROUND_SECONDS = 0.35
"""As campaigns choose it (`campaign.start`)."""
LONG_SECONDS = 2.0
NODE_CORES = 32
LINK = 10e9 / 8
"""Bytes a second."""
WAY = 100e-6
DELTA = 20_000
"""What a round brings, after the first ones; it does not grow with the workers."""
EARLY_DELTA = 1_000_000
WORKERS = (64, 256, 1024, 4096)
ROUNDS = 5
ONE_IN = 100
"""One task in so many is run twice."""


def elsewhere(costs: Costs) -> Costs:
    """Return what steps cost on nodes that a network joins, with many actors."""
    fetch = Linear(costs.fetch.base + 2 * WAY, max(costs.fetch.each, 1 / LINK))
    submit = Linear(costs.submit.base, max(costs.submit.each, 1 / LINK))
    way = costs.way + WAY
    return replace(costs, way=way, fetch=fetch, submit=submit, call=costs.hurried)


def without(costs: Costs) -> dict[str, Costs]:
    """Return the costs without each of the things that may be the limit."""
    none = Linear(0.0)
    return {
        "merge and commit": replace(
            costs, plan=none, merge=none, commit=none, found=0.0, stored=0.0
        ),
        "handing out": replace(costs, submit=none, call=0.0, wait=none, answer=none),
        "delta": replace(costs, pack=none, fold=none, fetch=none),
        "way and errand": replace(costs, way=0.0, errand=0.0),
    }


def mean_round(
    machines: Machines, costs: Costs, tasks: Sequence[Sequence[float]], work: Work
) -> Round:
    """Return the mean of some rounds."""
    found = [simulate(machines, costs, replace(work, tasks=each)) for each in tasks]
    return Round(
        *(
            fmean(getattr(each, name) for each in found)
            for name in ("seconds", "alone", "coordinator", "idle")
        )
    )


def row(
    costs: Costs,
    spread: Sequence[float],
    cores: int,
    workers: int,
    *,
    seconds: float = ROUND_SECONDS,
    delta: int = DELTA,
    result: int = 600,
) -> tuple[Round, float, str]:
    """Return a round, how many cores' work is done in it, and what would help most.

    Args:
        costs: of steps.
        spread: how long tasks take in relation to their mean.
        cores: one for each actor.
        workers: logical ones.
        seconds: how long a round would be on cores that are never idle.
        delta, result: bytes.
    """
    random = Random(cores * 10_000 + workers)
    length = seconds * cores / workers
    tasks = [
        [length * random.choice(spread) for _ in range(workers)] for _ in range(ROUNDS)
    ]
    machines = Machines(actors=cores, nodes=max(1, cores // NODE_CORES))
    twice = random.sample(range(workers), workers // ONE_IN)
    work = Work(tasks=(), twice=twice, delta=delta, result=result)
    found = mean_round(machines, costs, tasks, work)
    done = fmean(sum(each) for each in tasks) / found.seconds
    others = {
        name: mean_round(machines, each, tasks, work).seconds
        for name, each in without(costs).items()
    }
    even = [[length] * workers for _ in tasks]
    once = replace(work, twice=())
    others["comparing"] = mean_round(machines, costs, tasks, once).seconds
    others["barrier"] = mean_round(machines, costs, even, work).seconds
    limit = min(others, key=lambda name: others[name])
    gain = found.seconds / others[limit] - 1
    return found, done, f"{limit} (+{gain:.0%})"


def print_rows(
    costs: Costs, spread: Sequence[float], result: int, **options: Any
) -> None:
    """Print a table for all numbers of cores."""
    head = "cores | workers | round, s | cores' work | idle | alone | coordinator"
    print(f"| {head} | without it |\n|{'---|' * 8}")
    for cores in CORES:
        for workers in (each for each in WORKERS if cores <= each <= 16 * cores):
            found, done, limit = row(
                costs, spread, cores, workers, result=result, **options
            )
            told = (
                f"{found.seconds:.2f}",
                f"{done:,.0f} ({done / cores:.0%})",
                f"{found.idle:.0%}",
                f"{found.alone / found.seconds:.0%}",
                f"{found.coordinator / found.seconds:.0%}",
                limit,
            )
            print(f"| {cores:,} | {workers:,} | {' | '.join(told)} |")


def print_all(here: Costs, spread: Sequence[float], result: int) -> None:
    """Print the tables."""
    costs = elsewhere(here)
    print(f"\nRounds of {ROUND_SECONDS} s, a delta of {DELTA:,} bytes")
    print_rows(costs, spread, result)
    print(f"\nRounds of {LONG_SECONDS} s")
    print_rows(costs, spread, result, seconds=LONG_SECONDS)
    print(f"\nA delta of {EARLY_DELTA:,} bytes")
    print_rows(costs, spread, result, delta=EARLY_DELTA)
    # One call for each node and round, with all that its actors are to do.
    node = replace(
        costs,
        submit=Linear(costs.submit.base / NODE_CORES, costs.submit.each),
        call=costs.call / NODE_CORES,
        answer=Linear(costs.answer.base / NODE_CORES, costs.answer.each),
    )
    print(f"\nRounds of {ROUND_SECONDS} s, one call and answer a node")
    print_rows(node, spread, result)


def dump(costs: Costs, spread: Sequence[float], result: int, place: Path) -> None:
    """Keep what was measured, to ask the model later."""
    place.write_text(json.dumps([asdict(costs), list(spread), result]))


def load(place: Path) -> tuple[Costs, list[float], int]:
    """Return what `dump` has kept."""
    values, spread, result = json.loads(place.read_text())
    lines: dict[str, Any] = {
        name: Linear(**each) if isinstance(each, dict) else each
        for name, each in values.items()
    }
    return Costs(**lines), spread, result


if __name__ == "__main__":
    print_all(*load(Path(sys.argv[1])))
