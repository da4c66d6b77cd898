"""Goals: what tests compare is a gradient, in the same way on every backend."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import (
    NARROW,
    calls_until_falsified,
    payloads,
    six_rounds,
    small_config,
    started,
)
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named


def rounds_of(directory: Path, name: str, backend: str, **changes: Any) -> list[Any]:
    """Return what each round of a campaign committed, and what came nearest."""
    values = {"round_budget": 30_000, "seq_len": 30, **changes}
    program = compile_corpus((name,))
    events = six_rounds(directory, program, named(backend), **values)
    return payloads(events, "RoundCommitted", "CoverageIncreased")


NAMES = ("Clock", "Dozen", "Gauge", "MultiToken", "Remainders", "Token", "VaultHandler")


@pytest.mark.parametrize("name", NAMES)
def test_campaigns_with_goals_are_the_same_on_every_backend(tmp_path, name):
    expected = rounds_of(tmp_path / "reference", name, REFERENCE)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, name, mode) == expected
    without = rounds_of(tmp_path / "without", name, "compiled", goals=False)
    assert not any("nearest" in each for each in without)


def test_a_campaign_with_goals_is_the_same_in_plain_python(tmp_path):
    settings = {"round_budget": 12_000, "workers": 1}
    expected = rounds_of(tmp_path / "reference", "Gauge", REFERENCE, **settings)
    assert rounds_of(tmp_path / "plain", "Gauge", "plain", **settings) == expected


def calls(directory: Path, seed: int, most: int, **changes: Any) -> int:
    return calls_until_falsified(
        directory,
        compile_corpus(("Gauge",)),
        named("compiled"),
        most,
        seed=seed,
        round_budget=500_000,
        **NARROW,
        **changes,
    )


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_a_property_compares_leads_to_its_failure(tmp_path, seed):
    most = 1_500_000
    assert calls(tmp_path / "with", seed, most) < most
    assert calls(tmp_path / "without", seed, most, goals=False) >= most


def test_an_entry_that_came_nearer_has_what_it_takes(tmp_path):
    config = small_config(seed=3, seq_len=100, round_budget=200_000)
    with started(
        tmp_path, compile_corpus(("Gauge",)), config, backend=named("compiled")
    ) as running:
        running.rounds(8)
        nearest: dict[str, list[int]] = {}
        for event in running.events:
            if event.type == "CoverageIncreased":
                for mark, near in event.payload.get("nearest", ()):
                    nearest.setdefault(mark, []).append(near)
        for each in nearest.values():
            assert each == sorted(set(each), reverse=True)
        assert max(map(len, nearest.values())) > 3
        entries = [e.payload for e in running.events if e.type == "CorpusExtended"]
        assert any(len(each["calls"]) > 3 for each in entries)
