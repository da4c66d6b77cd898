"""Harvest in campaigns: that backends agree, and what it is good for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import NARROW, Commands, calls_until_falsified, payloads, six_rounds
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named

CALLS = 200_000
"""More than any seed needs."""


def rounds_of(
    directory: Path,
    backend: str,
    commands: Commands | None = None,
    name: str = "Consignment",
    **changes: Any,
) -> list[Any]:
    """Return what each round of a campaign committed."""
    values = {"round_budget": 40_000, **changes}
    program = compile_corpus((name,))
    events = six_rounds(directory, program, named(backend), commands, **values)
    return payloads(events, "RoundCommitted")


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("Consignment", {}),
        ("Consignment", {"climbing": False, "seed": 5}),
        ("Consignment", {"broods": False, "seed": 6}),
        ("Consignment", {"states": False, "coverage": False, "seed": 7}),
        # Harvest and climbing of contracts that sequences create, and cheats.
        ("Nursery", {}),
        ("NestedTypes", {}),
        ("Cheats", {}),
    ],
)
def test_campaigns_are_the_same_on_every_backend(tmp_path, name, changes):
    expected = rounds_of(tmp_path / "reference", REFERENCE, name=name, **changes)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, mode, name=name, **changes) == expected


def test_a_campaign_under_priorities_is_the_same_on_every_backend(tmp_path):
    commands: Commands = {
        2: [("prioritize_function", {"functionSignature": "buy"})],
        4: [("clear_priorities", {})],
        5: [("prioritize_function", {"functionSignature": "open"})],
    }
    expected = rounds_of(tmp_path / "reference", REFERENCE, commands)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, mode, commands) == expected


def test_a_campaign_is_the_same_in_plain_python(tmp_path):
    settings = {"round_budget": 12_000, "workers": 1}
    expected = rounds_of(tmp_path / "reference", REFERENCE, **settings)
    assert rounds_of(tmp_path / "plain", "plain", **settings) == expected
    assert rounds_of(tmp_path / "without", "plain", harvest=False, **settings) != (
        expected
    )


def calls(directory: Path, seed: int, *, harvest: bool) -> int:
    """Return after how many calls it is found what is behind four ids."""
    return calls_until_falsified(
        directory,
        compile_corpus(("Consignment",)),
        named("compiled"),
        CALLS,
        seed=seed,
        workers=2,
        round_budget=200_000,
        harvest=harvest,
        # Ids are words of the dictionary, too, while entries get other ones.
        shortening=False,
        # An id may be that of a call before, or of an entry.
        keys=False,
        favoured=False,
        **NARROW,
    )


@pytest.mark.parametrize("seed", range(3))
def test_ids_that_calls_give_out_are_given_back(tmp_path, seed):
    assert calls(tmp_path / "with", seed, harvest=True) < CALLS
    assert calls(tmp_path / "without", seed, harvest=False) >= CALLS
