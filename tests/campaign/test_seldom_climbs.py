"""Climbing rests: while nothing is news, ever fewer sequences are climbed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import payloads, six_rounds
from corpus_contracts import compile_corpus
from native_backends import REFERENCE, named

from echidna_mcp.config.campaign import CampaignConfig
from echidna_mcp.events.event import NewEvent
from echidna_mcp.rounds import tasks
from echidna_mcp.rounds.tasks import rest_of_climbs
from echidna_mcp.views.progress import ProgressView


@pytest.mark.parametrize(
    ("quiet", "rest"),
    [
        (0, 0),
        (1_999_999, 0),
        (2_000_000, 1),
        (3_999_999, 1),
        (4_000_000, 2),
        (8_000_000, 3),
        (16_000_000, 4),
        (10**12, 4),
    ],
)
def test_the_share_is_halved_with_each_doubling_of_the_quiet(quiet, rest):
    assert rest_of_climbs(CampaignConfig(), quiet) == rest
    assert rest_of_climbs(CampaignConfig(seldom_climbs=False), quiet) == 0


def committed(total: int) -> NewEvent:
    """Return the event of a round after which so many calls were made."""
    counted = dict.fromkeys(("sequences", "reverts", "gas", "steps"), 0)
    return NewEvent(
        round=1,
        type="RoundCommitted",
        payload={
            **counted,
            "totalCalls": total,
            "functions": {},
            "workers": [],
            "stateDigest": "",
        },
    )


def test_quiet_are_the_calls_of_rounds_in_which_the_corpus_did_not_grow():
    view = ProgressView()
    grown = NewEvent(round=1, type="CorpusExtended", payload={})
    told = []
    for event in (
        committed(10),
        committed(25),
        grown,
        committed(40),
        committed(47),
        committed(49),
    ):
        view.apply(event)
        told.append(view.quiet_calls)
    assert told == [10, 25, 25, 0, 7, 9]


def rounds_of(directory: Path, backend: str, **changes: Any) -> list[Any]:
    """Return what each round of a campaign committed."""
    # Of lines alone a small contract has no news after the first rounds.
    values = {"round_budget": 100_000, "seq_len": 30, "states": False, **changes}
    values |= {"goals": False, "waypoints": False}
    events = six_rounds(directory, compile_corpus(("Clock",)), named(backend), **values)
    return payloads(events, "RoundCommitted")


def test_campaigns_that_rest_are_the_same_on_every_backend(tmp_path, monkeypatch):
    always = rounds_of(tmp_path / "always", REFERENCE)
    # So that a campaign which py-evm can run is quiet at all.
    monkeypatch.setattr(tasks, "QUIET_CALLS", 1)
    expected = rounds_of(tmp_path / "reference", REFERENCE)
    assert expected != always
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, mode) == expected


def variants(directory: Path, *, seldom_climbs: bool) -> int:
    """Return how many calls the second half of a campaign has undone."""
    rounds = rounds_of(
        directory,
        "compiled",
        round_budget=20_000_000,
        workers=2,
        seldom_climbs=seldom_climbs,
    )
    return sum(
        each["calls"] - sum(each["functions"].values())
        for each in rounds[len(rounds) // 2 :]
    )


def test_fewer_variants_run_where_nothing_is_news(tmp_path, monkeypatch):
    monkeypatch.setattr(tasks, "QUIET_CALLS", 100)
    seldom = variants(tmp_path / "seldom", seldom_climbs=True)
    assert 0 < 2 * seldom < variants(tmp_path / "always", seldom_climbs=False)
