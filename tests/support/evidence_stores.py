"""Stores whose campaign has gone so far and no further, and what was sealed in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from live_server import run_cli

from echidna_mcp.events.event import Event, NewEvent
from echidna_mcp.events.store import EventStore, store_path

QUICK = ("--seed", 7, "--test-limit", 20_000)
"""A campaign on the demo that falsifies one test, and shrinks it in a later round."""
FALSIFIED = "echidna_solvent"


def recorded(directory: Path) -> list[Event]:
    """Run a campaign; return its events."""
    done = run_cli("run", *QUICK, "--corpus-dir", directory)
    assert done.returncode == 1, done.stderr
    with EventStore.read_only(store_path(directory)) as store:
        return list(store.read())


def until_falsified(events: Sequence[Event]) -> int:
    """Return how many events there are until the round that falsified is over."""
    types = [event.type for event in events]
    return types.index("RoundCommitted", types.index("PropertyFalsified")) + 1


def again(events: Iterable[Event]) -> list[NewEvent]:
    """Return what to append to another store, so that it has the same events."""
    return [
        NewEvent(
            type=each.type,
            round=each.round,
            payload=each.payload,
            worker=each.worker,
            version=each.version,
        )
        for each in events
    ]


def store_of(directory: Path, events: Iterable[Event]) -> EventStore:
    """Make a store that holds events, and return its writer."""
    store = EventStore.create(store_path(directory))
    store.append(again(events))
    return store


def with_another_finding(events: Sequence[Event], name: str) -> list[Event]:
    """Return events of a campaign in which another test was falsified as well."""
    place = [event.type for event in events].index("PropertyFalsified")
    other = replace(events[place], payload={**events[place].payload, "property": name})
    return [*events[: place + 1], other, *events[place + 1 :]]


def kinds(directory: Path) -> list[str]:
    """Return the types of the events that are about evidence, in order."""
    with EventStore.read_only(store_path(directory)) as store:
        types = [event.type for event in store.read()]
    return [each for each in types if "Evid" in each or "Certif" in each]


def evidence_files(directory: Path) -> dict[Path, dict[str, Any]]:
    """Return the files of evidence of a campaign, and what they hold."""
    paths = sorted((directory / "evidence").glob("*.json"))
    return {path: json.loads(path.read_text("utf-8")) for path in paths}
