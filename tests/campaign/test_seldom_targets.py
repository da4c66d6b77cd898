"""What was found after many tries is sought as seldom in the tasks that follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from campaigns import payloads, six_rounds, small_config, started
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named


def rounds_of(directory: Path, backend: str, **changes: Any) -> list[Any]:
    """Return what each round of a campaign on a token committed."""
    values = {"round_budget": 150_000, **changes}
    events = six_rounds(directory, compile_corpus(("Token",)), named(backend), **values)
    return payloads(events, "RoundCommitted")


def test_campaigns_are_the_same_on_every_backend(tmp_path):
    expected = rounds_of(tmp_path / "reference", REFERENCE)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, mode) == expected
    assert rounds_of(tmp_path / "anew", "compiled", seldom_targets=False) != expected


def kept_calls(directory: Path, *, seldom_targets: bool) -> float:
    """Return which part of the calls of a campaign is of its sequences in the end.

    All others are variants that were undone.
    """
    config = small_config(
        seq_len=100, round_budget=20_000_000, workers=1, seldom_targets=seldom_targets
    )
    program = compile_corpus(("Token",))
    with started(directory, program, config, backend=named("compiled")) as running:
        while running.views.progress.calls < 2_000_000:
            running.rounds(1)
        kept = sum(running.views.progress.functions.values())
        return kept / running.views.progress.calls


def test_fewer_calls_are_variants_where_something_succeeds_by_luck(tmp_path):
    anew = kept_calls(tmp_path / "anew", seldom_targets=False)
    seldom = kept_calls(tmp_path / "seldom", seldom_targets=True)
    assert 1 - seldom < 0.8 * (1 - anew)
