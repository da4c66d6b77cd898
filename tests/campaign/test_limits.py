"""Limits in campaigns: that backends agree, and what they are good for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import NARROW, calls_until_falsified, payloads, six_rounds
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named

CALLS = 100_000
"""More than any seed needs."""


def rounds_of(directory: Path, name: str, backend: str, **changes: Any) -> list[Any]:
    """Return what each round of a campaign committed."""
    values = {"round_budget": 40_000, "seq_len": 30, **changes}
    program = compile_corpus((name,))
    events = six_rounds(directory, program, named(backend), **values)
    return payloads(events, "RoundCommitted")


@pytest.mark.parametrize("name", ["Clock", "Leftover", "Payments", "Token"])
def test_campaigns_are_the_same_on_every_backend(tmp_path, name):
    expected = rounds_of(tmp_path / "reference", name, REFERENCE)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, name, mode) == expected


def test_a_campaign_is_the_same_in_plain_python(tmp_path):
    settings = {"round_budget": 12_000, "workers": 1}
    expected = rounds_of(tmp_path / "reference", "Leftover", REFERENCE, **settings)
    assert rounds_of(tmp_path / "plain", "Leftover", "plain", **settings) == expected
    without = rounds_of(
        tmp_path / "without", "Leftover", "plain", limits=False, **settings
    )
    assert without != expected
    always = rounds_of(
        tmp_path / "always", "Leftover", "plain", seldom_limits=False, **settings
    )
    assert always not in (expected, without)


def calls(directory: Path, seed: int, *, limits: bool) -> int:
    """Return after how many calls it is found that all shares but one are redeemed."""
    return calls_until_falsified(
        directory,
        compile_corpus(("Leftover",)),
        named("compiled"),
        CALLS,
        seed=seed,
        seq_len=20,
        workers=2,
        round_budget=4_000_000,
        **NARROW,
        limits=limits,
    )


@pytest.mark.parametrize("seed", [1, 3, 4])
def test_calls_go_as_far_as_they_are_let_or_one_less(tmp_path, seed):
    assert calls(tmp_path / "with", seed, limits=True) < CALLS
    assert calls(tmp_path / "without", seed, limits=False) >= CALLS
