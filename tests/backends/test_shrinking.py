"""Shrinking random sequences of many targets: by the searcher as by the round."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from campaigns import small_config, started
from corpus_contracts import NAMES, corpus_program, mode_of
from foundry_campaigns import NAMES as SUITES
from foundry_campaigns import campaigns
from many_targets import HEADER, random_world
from native_backends import named
from shrinkers import Shrinker
from solc import compile_solidity

from echidna_mcp.program.target import FuzzTarget, build_target
from echidna_mcp.rounds.exploration import explored_target

pytestmark = [pytest.mark.solc, pytest.mark.digests]

BUDGETS = (1, 199, 200, 201, 5_000, 777, 50_000, 1, 400, 300_000, 10_000_000)
SEQUENCES, LIMIT, WORLDS = 6, 150, 12
SAMPLE = ("Assertions", "Flags", "Payments", "SelfDestruct", "TryCatch", "VyperToken")


def compare(
    target: FuzzTarget, backend: str = "compiled", sequences: int = SEQUENCES
) -> None:
    shrinker = Shrinker(target, backend)
    for sequence in shrinker.sequences(sequences):
        for test in range(len(target.tests)):
            whole = shrinker.cut(sequence, test)
            expected = shrinker.shrink(test, whole, BUDGETS, native=False)
            assert shrinker.shrink(test, whole, BUDGETS, native=True) == expected


def corpus_target(name: str) -> FuzzTarget:
    config = small_config(test_mode=mode_of(name), shrink_limit=LIMIT, seq_len=12)
    return build_target(corpus_program(name), config)


@pytest.mark.parametrize("name", NAMES)
def test_contracts(name: str) -> None:
    compare(corpus_target(name))


@pytest.mark.parametrize("backend", ["checked", "hot"])
@pytest.mark.parametrize("name", SAMPLE)
def test_contracts_however_the_backend_runs(name: str, backend: str) -> None:
    compare(corpus_target(name), backend, sequences=2)


@pytest.mark.parametrize("seed", range(WORLDS))
def test_worlds_of_many_contracts(seed: int) -> None:
    world = random_world(seed)
    # Without coverage calls are generated for what sequences create.
    config = small_config(
        shrink_limit=LIMIT, seq_len=15, coverage=False, **world.config
    )
    program = compile_solidity(HEADER + world.source, world.name)
    compare(explored_target(program, config, named("compiled")))


@pytest.mark.parametrize("name", SUITES)
def test_suites_of_foundry(name: str, tmp_path: Path) -> None:
    campaign = campaigns()[name]
    config = replace(campaign.config, shrink_limit=LIMIT)
    with started(
        tmp_path, campaign.program, config, backend=named("compiled")
    ) as running:
        target = running.views.target
    compare(target)
