"""Encoded arguments in campaigns: that backends agree, and what they are good for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import calls_until_falsified, payloads, six_rounds
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named

CALLS = 150_000
"""Twice what any seed needs."""


def rounds_of(directory: Path, backend: str, **changes: Any) -> list[Any]:
    """Return what each round of a campaign committed."""
    values = {"round_budget": 40_000, "seq_len": 30, **changes}
    program = compile_corpus(("Envelope",))
    events = six_rounds(directory, program, named(backend), **values)
    return payloads(events, "RoundCommitted")


def test_campaigns_are_the_same_on_every_backend(tmp_path):
    expected = rounds_of(tmp_path / "reference", REFERENCE)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, mode) == expected
    assert rounds_of(tmp_path / "without", "compiled", payloads=False) != expected


def calls(directory: Path, seed: int, *, payloads: bool) -> int:
    """Return after how many calls an order is accepted that another one holds."""
    return calls_until_falsified(
        directory,
        compile_corpus(("Envelope",)),
        named("compiled"),
        CALLS,
        seed=seed,
        seq_len=30,
        workers=2,
        round_budget=4_000_000,
        payloads=payloads,
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_what_contracts_decode_is_encoded_and_climbed(tmp_path, seed):
    assert calls(tmp_path / "with", seed, payloads=True) < CALLS
    assert calls(tmp_path / "without", seed, payloads=False) >= CALLS
