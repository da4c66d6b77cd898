"""Waypoints in campaigns: that backends agree, and what they are good for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import calls_until_falsified, payloads, six_rounds
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named

CALLS = 200_000
"""Twice what any seed needs."""


def rounds_of(directory: Path, name: str, backend: str, **changes: Any) -> list[Any]:
    """Return what each round of a campaign committed."""
    values = {"round_budget": 60_000, "seq_len": 30, **changes}
    program = compile_corpus((name,))
    events = six_rounds(directory, program, named(backend), **values)
    return payloads(events, "RoundCommitted")


@pytest.mark.parametrize("name", ["Names", "Ratchet", "Streak", "Token"])
def test_campaigns_are_the_same_on_every_backend(tmp_path, name):
    expected = rounds_of(tmp_path / "reference", name, REFERENCE)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, name, mode) == expected


def test_a_campaign_is_the_same_in_plain_python(tmp_path):
    settings = {"round_budget": 20_000, "workers": 1}
    expected = rounds_of(tmp_path / "reference", "Streak", REFERENCE, **settings)
    assert rounds_of(tmp_path / "plain", "Streak", "plain", **settings) == expected
    without = rounds_of(
        tmp_path / "without", "Streak", "plain", waypoints=False, **settings
    )
    assert without != expected


def calls(directory: Path, seed: int, *, waypoints: bool) -> int:
    """Return after how many calls a streak of six right moves is claimed."""
    return calls_until_falsified(
        directory,
        compile_corpus(("Streak",)),
        named("compiled"),
        CALLS,
        seed=seed,
        seq_len=30,
        workers=2,
        round_budget=400_000,
        waypoints=waypoints,
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_what_calls_compare_with_storage_leads_on(tmp_path, seed):
    assert calls(tmp_path / "with", seed, waypoints=True) < CALLS
    assert calls(tmp_path / "without", seed, waypoints=False) >= CALLS
