"""Echoes in campaigns: that backends agree, and what they are good for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from campaigns import Commands, payloads, six_rounds, small_config, started
from corpus_contracts import lone_program
from native_backends import REFERENCE, named

from echidna_mcp.config.campaign import CampaignConfig

EXECUTED = {"echidna_nothing_is_executed"}


def rounds_of(
    directory: Path, backend: str, commands: Commands | None = None, **changes: Any
) -> list[Any]:
    """Return what each round of a campaign committed."""
    program = lone_program("Timelock", "")
    values = {"shrink_limit": 0, **changes}
    events = six_rounds(directory, program, named(backend), commands, **values)
    return payloads(events, "RoundCommitted")


def test_campaigns_with_echoes_are_the_same_on_every_backend(tmp_path):
    commands: Commands = {
        2: [("prioritize_function", {"functionSignature": "execute"})],
        4: [("clear_priorities", {})],
    }
    expected = rounds_of(tmp_path / "reference", REFERENCE, commands)
    for mode in ("compiled", "checked"):
        assert rounds_of(tmp_path / mode, mode, commands) == expected
    without = rounds_of(tmp_path / "without", "compiled", commands, echoes=False)
    assert without != expected


def test_a_campaign_with_echoes_is_the_same_in_plain_python(tmp_path):
    settings = {"round_budget": 4_000, "workers": 1}
    expected = rounds_of(tmp_path / "reference", REFERENCE, **settings)
    assert rounds_of(tmp_path / "plain", "plain", **settings) == expected


@pytest.mark.parametrize("seed", range(3))
def test_what_was_queued_is_executed(tmp_path, seed):
    assert found_by(tmp_path / "with", 20_000, seed=seed) == EXECUTED
    assert found_by(tmp_path / "without", 100_000, seed=seed, echoes=False) == set()


def found_by(directory: Path, calls: int, **changes: Any) -> set[str]:
    """Return which tests are falsified within so many calls."""
    values = {"seq_len": 100, "workers": 2, "round_budget": 100_000, "shrink_limit": 0}
    with started(
        directory,
        lone_program("Timelock", ""),
        small_config(**values, **changes),
        backend=named("compiled"),
    ) as running:
        views, found = running.views, set()
        while not found and views.progress.calls < calls:
            running.rounds(1)
            found = {record.name for record in views.properties.falsified}
        return found


def test_campaigns_that_do_not_say_so_have_none():
    assert CampaignConfig().to_json()["echoes"] is True
    data = CampaignConfig(echoes=False).to_json()
    assert "echoes" not in data
    assert CampaignConfig.from_json(data).echoes is False
