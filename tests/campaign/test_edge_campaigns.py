"""Edges in campaigns: that backends agree, replay, and what edges are good for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaigns import PROVENANCE, small_config, started
from corpus_contracts import corpus_program, mode_of
from native_backends import REFERENCE, named

from echidna_mcp.campaign.director import Director
from echidna_mcp.campaign.replay import read_recording, replay
from echidna_mcp.campaign.start import resume_campaign
from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.events.store import store_path
from echidna_mcp.evm.backend import BackendConfig
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.rounds.backend import BackendPlugin
from echidna_mcp_plugins.native.backend import NativeBackend
from echidna_mcp_plugins.native.host.capacity import Capacity
from echidna_mcp_plugins.native.hot.mode import HOT_VARIABLE

pytestmark = pytest.mark.digests

SAMPLE = ("Dials", "Factory", "NestedTypes", "Recursion", "TryCatch", "VyperToken")


def config_of(name: str, **changes: Any) -> CampaignConfig:
    values: dict[str, Any] = {
        "workers": 2,
        "round_budget": 6_000,
        "seq_len": 40,
        "edges": True,
    }
    return small_config(test_mode=mode_of(name), **{**values, **changes})


def rounds_of(
    directory: Path, name: str, backend: BackendPlugin, **changes: Any
) -> list[Any]:
    """Return what each round of a campaign committed."""
    config, program = config_of(name, **changes), corpus_program(name)
    with started(directory, program, config, backend=backend) as running:
        running.rounds(4)
        events = running.events
    told = [e.payload.get("edges") for e in events if e.type == "CoverageIncreased"]
    assert any(told) is config.edges
    return [e.payload for e in events if e.type == "RoundCommitted"]


@pytest.mark.parametrize("name", SAMPLE)
def test_a_campaign_with_edges_is_the_same_on_both_backends(tmp_path, name):
    expected = rounds_of(tmp_path / "reference", name, named(REFERENCE))
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, name, named(mode)) == expected
    without = rounds_of(tmp_path / "without", name, named("compiled"), edges=False)
    assert without != expected


@pytest.mark.parametrize("name", ["Dials", "Recursion"])
def test_compiled_blocks_tell_the_same_edges(tmp_path, monkeypatch, name):
    rounds = []
    for mode in ("off", "at-once"):
        monkeypatch.setenv(HOT_VARIABLE, mode)
        rounds.append(rounds_of(tmp_path / mode, name, named("compiled")))
    assert rounds[0] == rounds[1]


def test_a_campaign_with_edges_is_the_same_in_plain_python(tmp_path):
    settings = {"round_budget": 3_000, "workers": 1}
    expected = rounds_of(tmp_path / "reference", "Dials", named(REFERENCE), **settings)
    assert (
        rounds_of(tmp_path / "plain", "Dials", named("plain"), **settings) == expected
    )


def test_a_table_that_is_too_small_changes_no_result(tmp_path):
    """It is emptied between sequences; what was in it is found again."""
    made = []

    def create(config: BackendConfig) -> NativeBackend:
        made.append(NativeBackend(config, capacity=Capacity(edges=0)))
        return made[-1]

    small = replace(named("compiled"), create=create)
    usual = rounds_of(tmp_path / "usual", "NestedTypes", named("compiled"))
    assert rounds_of(tmp_path / "small", "NestedTypes", small) == usual
    assert made[-1].machine.forgotten > 0


def test_a_campaign_without_coverage_has_no_edges(tmp_path):
    config = config_of("Dials", coverage=False)
    program, backend = corpus_program("Dials"), named("compiled")
    with started(tmp_path, program, config, backend=backend) as running:
        running.rounds(2)
        told = [e for e in running.events if e.type == "CoverageIncreased"]
    # What the constructor ran is reported whatever the configuration says.
    assert len(told) <= 1


@pytest.mark.parametrize("name", [REFERENCE, "compiled"])
def test_a_campaign_with_edges_is_replayed_and_resumed(tmp_path, name):
    program, backend = corpus_program("NestedTypes"), named(name)
    config = config_of("NestedTypes")
    with started(tmp_path / "a", program, config, backend=backend) as running:
        running.rounds(5)
        digests, events = running.digests(), running.events
        coverage = running.views.coverage.map
    executor = make_executor(PluginManager.load().executors, "inline")
    replayed = replay(read_recording(events), (), backend, executor)
    assert replayed.progress.state_digest == digests[-1]
    executor.close()
    with started(tmp_path / "b", program, config, backend=backend) as running:
        running.rounds(3)
    executor = make_executor(PluginManager.load().executors, "inline")
    campaign = resume_campaign(
        store_path(tmp_path / "b"), backend, executor, PROVENANCE
    )
    with campaign.store:
        director = Director(
            campaign.engine, campaign.store, executor, news=campaign.events
        )
        director.run_round()
        director.run_round()
        stored = list(campaign.store.read())
    executor.close()
    committed = [e for e in stored if e.type == "RoundCommitted"]
    assert [e.payload["stateDigest"] for e in committed] == digests
    assert list(campaign.engine.views.coverage.map.edges) == list(coverage.edges)


@pytest.mark.parametrize("edges", [True, False])
def test_edges_show_the_way_where_blocks_do_not(tmp_path, edges):
    """The dials have no code of their own for a turn that is right."""
    opened, entries = 0, set()
    for seed in range(3):
        config = small_config(
            seed=seed,
            seq_len=100,
            workers=2,
            round_budget=2_000_000,
            shrink_limit=0,
            edges=edges,
            states=False,
            # Edges alone tell how far it is.
            climbing=False,
            goals=False,
            echoes=False,
        )
        program, backend = corpus_program("Dials"), named("compiled")
        directory = tmp_path / str(seed)
        with started(directory, program, config, backend=backend) as running:
            views = running.views
            while not views.properties.falsified and views.progress.calls < 250_000:
                running.rounds(1)
            opened += bool(views.properties.falsified)
            entries.add(len(views.corpus))
    if edges:
        assert opened > 0
        assert min(entries) > 2
    else:
        assert opened == 0
        assert entries == {1}
