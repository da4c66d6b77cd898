"""Campaigns on worlds of many contracts: one digest, whatever runs them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from campaigns import replayed, small_config, started
from many_targets import HEADER, ManyTargets, random_world
from native_backends import REFERENCE, named
from solc import compile_solidity

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.program.model import Program

pytestmark = [pytest.mark.solc, pytest.mark.digests]

WORLDS, MANY = 12, 60
ROUNDS = 8


@cache
def program_of(seed: int) -> Program:
    source = HEADER + random_world(seed).source
    return compile_solidity(source, random_world(seed).name)


def config_of(world: ManyTargets) -> CampaignConfig:
    return small_config(workers=2, round_budget=25_000, seq_len=30, **world.config)


def digests_of(seed: int, backend: str, executor: str = "inline", rounds=ROUNDS):
    config = config_of(random_world(seed))
    with (
        TemporaryDirectory() as directory,
        started(
            Path(directory), program_of(seed), config, executor, backend=named(backend)
        ) as running,
    ):
        running.rounds(rounds)
        functions = running.views.progress.functions
        return running.digests(), functions, running.events


@cache
def expected(seed: int):
    return digests_of(seed, "compiled")


@pytest.mark.parametrize("seed", range(WORLDS))
def test_a_world_is_searched_alike_by_both_backends(seed: int) -> None:
    rounds = 4
    reference, _, _ = digests_of(seed, REFERENCE, rounds=rounds)
    assert expected(seed)[0][:rounds] == reference


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(WORLDS, MANY))
def test_many_worlds_are_searched_alike_by_both_backends(seed: int) -> None:
    assert expected(seed)[0] == digests_of(seed, REFERENCE)[0]


@pytest.mark.parametrize("mode", ["hot", "checked"])
@pytest.mark.parametrize("seed", range(0, WORLDS, 4))
def test_hot_and_checked_code_search_it_alike(seed: int, mode: str) -> None:
    rounds = 3 if mode == "checked" else ROUNDS
    assert digests_of(seed, mode, rounds=rounds)[0] == expected(seed)[0][:rounds]


@pytest.mark.parametrize("executor", ["threads:2", "processes:2"])
@pytest.mark.parametrize("seed", range(1, WORLDS, 4))
def test_threads_and_processes_search_it_alike(seed: int, executor: str) -> None:
    assert digests_of(seed, "compiled", executor)[0] == expected(seed)[0]


@pytest.mark.parametrize("seed", range(2, WORLDS, 4))
def test_a_replay_reproduces_it(seed: int) -> None:
    digests, _, events = expected(seed)
    assert replayed(events, named("compiled")) == digests[-1]


def test_the_worlds_are_of_every_kind() -> None:
    called = {name for seed in range(WORLDS) for name in expected(seed)[1]}
    assert any(name.startswith("Child#n.") for name in called), "created in sequences"
    assert any(name.startswith("Ledger@0x") for name in called), "deployed twice"
    assert any(name.startswith("Ledger.") for name in called), "deployed once"
    assert {"boom", "make", "poke", "put"} <= {
        name.rpartition(".")[2].partition("(")[0] for name in called
    }
