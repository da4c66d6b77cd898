"""Functions that change nothing are called seldom, once they were called often."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from campaigns import payloads, six_rounds
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named

from echidna_mcp.rounds import tasks

VIEWS = {"allowance", "balanceOf", "totalSupply"}


def rounds_of(directory: Path, backend: str, **changes: Any) -> list[Any]:
    """Return what each round of a campaign on a token committed."""
    # Entries have views as well, and are not what this is about.
    plain = {"climbing": False, "favoured": False, "keys": False}
    values = {"round_budget": 100_000, **plain, **changes}
    program = compile_corpus(("Token",))
    events = six_rounds(directory, program, named(backend), **values)
    return payloads(events, "RoundCommitted")


def shares(rounds: list[Any]) -> tuple[float, float]:
    """Return how many calls views and other functions had, each on average."""
    calls: Counter[str] = Counter()
    for each in rounds:
        calls.update(each["functions"])
    views = [calls[each] for each in calls if each.partition("(")[0] in VIEWS]
    others = [calls[each] for each in calls if each.partition("(")[0] not in VIEWS]
    return sum(views) / len(views), sum(others) / len(others)


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let views be settled after five calls."""
    monkeypatch.setattr(tasks, "SETTLED_CALLS", 5)


@pytest.mark.usefixtures("settled")
def test_settled_views_are_called_seldom_on_every_backend(tmp_path):
    expected = rounds_of(tmp_path / "reference", REFERENCE)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, mode) == expected
    views, others = shares(expected[2:])
    assert 0 < views < others / 2
    views, others = shares(rounds_of(tmp_path / "all", "compiled", seldom_views=False))
    assert 0.7 < views / others < 1.4


def test_views_that_were_not_called_often_are_called_as_others(tmp_path):
    views, others = shares(rounds_of(tmp_path, "compiled"))
    assert 0.7 < views / others < 1.4
