"""Ties in campaigns: that backends agree, and what they are good for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import calls_until_falsified, payloads, six_rounds
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named

CALLS = 1_000_000


def rounds_of(directory: Path, backend: str, **changes: Any) -> list[Any]:
    """Return what each round of a campaign committed."""
    values = {"round_budget": 40_000, "seq_len": 30, **changes}
    program = compile_corpus(("Names",))
    events = six_rounds(directory, program, named(backend), **values)
    return payloads(events, "RoundCommitted")


def test_campaigns_are_the_same_on_every_backend(tmp_path):
    expected = rounds_of(tmp_path / "reference", REFERENCE)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, mode) == expected
    assert rounds_of(tmp_path / "without", "compiled", ties=False) != expected


def calls(directory: Path, seed: int, *, ties: bool) -> int:
    """Return after how many calls a name is withdrawn that begins as asked for."""
    return calls_until_falsified(
        directory,
        compile_corpus(("Names",)),
        named("compiled"),
        CALLS,
        seed=seed,
        seq_len=30,
        workers=2,
        round_budget=4_000_000,
        ties=ties,
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_a_key_changes_in_all_calls_that_have_it(tmp_path, seed):
    assert calls(tmp_path / "with", seed, ties=True) < CALLS
    assert calls(tmp_path / "without", seed, ties=False) >= CALLS
