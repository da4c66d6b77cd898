"""Campaigns of Foundry's tests: one digest, whatever runs them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from campaigns import PROVENANCE, Running, replayed, started
from foundry_campaigns import NAMES, REENTERED, campaigns
from native_backends import REFERENCE, named

from echidna_mcp.campaign.director import Director
from echidna_mcp.campaign.start import resume_campaign
from echidna_mcp.events.event import Event
from echidna_mcp.events.store import store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor

pytestmark = [pytest.mark.solc, pytest.mark.digests]

ROUNDS = 6


def digests_of(
    name: str, backend: str, executor: str = "inline"
) -> tuple[list[str], list[Event]]:
    campaign = campaigns()[name]
    with (
        TemporaryDirectory() as directory,
        started(
            Path(directory),
            campaign.program,
            campaign.config,
            executor,
            backend=named(backend),
        ) as running,
    ):
        running.rounds(ROUNDS)
        return running.digests(), running.events


@cache
def expected(name: str) -> tuple[list[str], list[Event]]:
    return digests_of(name, "compiled")


def test_these_are_all_campaigns():
    assert sorted(campaigns()) == sorted(NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("backend", [REFERENCE, "checked", "hot"])
def test_every_evm_searches_alike(name: str, backend: str) -> None:
    assert digests_of(name, backend)[0] == expected(name)[0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("executor", ["threads:2", "processes:2"])
def test_every_executor_gives_the_same(name: str, executor: str) -> None:
    assert digests_of(name, "compiled", executor)[0] == expected(name)[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_replay_reproduces_it(name: str) -> None:
    digests, events = expected(name)
    assert replayed(events, named("compiled")) == digests[-1]


@pytest.mark.parametrize(
    "name", ["BankInvariants invariant", "ExcusedTest stateless", REENTERED]
)
def test_it_goes_on_where_it_stopped(name: str, tmp_path: Path) -> None:
    chosen, plugin = campaigns()[name], named("compiled")
    with started(tmp_path, chosen.program, chosen.config, backend=plugin) as begun:
        begun.rounds(2)
    executor = make_executor(PluginManager.load().executors, "inline")
    try:
        again = resume_campaign(store_path(tmp_path), plugin, executor, PROVENANCE)
        with again.store:
            director = Director(again.engine, again.store, executor, news=again.events)
            running = Running(again, director, tmp_path)
            running.rounds(ROUNDS - 2)
            assert running.digests() == expected(name)[0]
    finally:
        executor.close()
