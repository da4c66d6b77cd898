"""Logs of older versions may hold accidents; no replay says that it reproduced one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from campaigns import small_config, started
from command_line import invoke

from echidna_mcp import __version__
from echidna_mcp.demo import load_demo
from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.store import EventStore, store_path

ROUNDS = 3

Change = Callable[[Event], list[NewEvent]]


def as_new(event: Event, **payload: Any) -> NewEvent:
    return NewEvent(
        type=event.type,
        round=event.round,
        worker=event.worker,
        payload={**event.payload, **payload},
    )


def recorded(place: Path, change: Change) -> Path:
    """Record a campaign of some rounds, and store it again with a change."""
    with started(place / "made", load_demo(), small_config()) as running:
        running.rounds(ROUNDS)
        events = running.events
    with EventStore.create(store_path(place / "log")) as store:
        for event in events:
            store.append(change(event))
    return place / "log"


def with_accident(event: Event) -> list[NewEvent]:
    """Say that a task of round 2 was given up."""
    lost = NewEvent(
        type="TaskAbandoned",
        round=2,
        worker=1,
        payload={"reason": "ImportError: half of it (at eth.py:7)"},
    )
    last_of_round = event.type == "RoundCommitted" and event.round == 2
    return [*([lost] if last_of_round else []), as_new(event)]


def by_version(version: str) -> Change:
    def change(event: Event) -> list[NewEvent]:
        is_start = event.type == "CampaignStarted"
        return [as_new(event, **({"engine": version} if is_start else {}))]

    return change


def test_a_log_with_an_accident_is_not_reproduced(here) -> None:
    replayed = invoke("replay", recorded(Path(), with_accident))
    assert replayed.code == 1
    assert "1 round verified." in replayed.out
    assert "Reproduced" not in replayed.out
    assert (
        "Not reproduced: Round 2 holds an accident that no replay can repeat: a task "
        "of worker 1 was given up (ImportError: half of it (at eth.py:7))."
    ) in replayed.err


def test_a_reference_that_could_not_run_a_sequence_was_an_accident(here) -> None:
    def change(event: Event) -> list[NewEvent]:
        if event.type != "RoundCommitted" or event.round != 3:
            return [as_new(event)]
        dispute = NewEvent(
            type="FalsificationDisputed",
            round=3,
            worker=0,
            payload={
                "property": "echidna_solvent",
                "counterexample": [],
                "calls": [],
                "backend": "native",
                "claim": "the test fails: returned false (1 gas)",
                "reference": "py-evm",
                "answer": "it can't run the sequence: ImportError: x (at y.py:1)",
            },
        )
        return [dispute, as_new(event)]

    replayed = invoke("replay", recorded(Path(), change))
    assert replayed.code == 1
    assert "Not reproduced: Round 3 holds an accident" in replayed.err
    assert "py-evm was not asked to the end" in replayed.err


def test_a_replay_says_which_version_made_the_campaign(here) -> None:
    replayed = invoke("replay", recorded(Path(), by_version("0.1.0")))
    assert replayed.code == 0
    assert (
        f"Version 0.1.0 made this campaign, and this is {__version__}: what differs "
        "may be due to that. echidna-mcp==0.1.0 reproduces it."
    ) in replayed.err


def test_a_replay_of_the_same_version_says_nothing_of_versions(here) -> None:
    replayed = invoke("replay", recorded(Path(), by_version(__version__)))
    assert replayed.code == 0
    assert "Version" not in replayed.err


@pytest.mark.parametrize("command", ["verify", "replay"])
def test_a_log_without_accidents_is_what_it_was(here, command) -> None:
    log = recorded(Path(), lambda event: [as_new(event)])
    assert invoke(command, log).code == 0
