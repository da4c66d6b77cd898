"""Which seeds are simulated, and what must be true of each.

`nox -s simulation` takes two thousand, or those it is told: `-- 100000:102000`. A seed
that fails is run again by its number; it does the same every time.
"""

from __future__ import annotations

import logging
import os

from schedule import LostError
from simulated_campaign import STRANGE_EVERY, Outcome, Simulation

logger = logging.getLogger(__name__)

SEEDS = range(200)
GROUP = 20


def asked() -> range:
    """Return the seeds that are asked for: `FROM:TO` or one."""
    text = os.environ.get("ECHIDNA_MCP_SEEDS")
    if text is None:
        return SEEDS
    first, _, end = text.partition(":")
    return range(int(first), int(end or int(first) + 1))


def groups(*, strange: bool) -> list[list[int]]:
    """Return the seeds whose target is the strange one, or the others, in portions."""
    mine = [seed for seed in asked() if (seed % STRANGE_EVERY == 0) == strange]
    return [mine[at : at + GROUP] for at in range(0, len(mine), GROUP)]


def _run(seed: int) -> Outcome:
    """Run a seed, and again if the scheduler itself failed.

    It did so once in two thousand, and not when that seed ran alone: an exception that
    is due in a thread may come after the last place where it can be caught.
    """
    try:
        return Simulation(seed).run()
    except LostError as error:
        logger.warning("Seed %s is run again; the scheduler lost it:\n%s", seed, error)
        return Simulation(seed).run()


def check(seeds: list[int]) -> None:
    """Each seed comes to the result of an undisturbed campaign."""
    outcomes = {seed: _run(seed) for seed in seeds}
    found = {seed: each.problems for seed, each in outcomes.items() if each.problems}
    assert not found, f"by seed: {found}"
    assert all(each.digests or each.story.stops for each in outcomes.values())
