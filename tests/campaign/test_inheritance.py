"""A new campaign takes over the corpus of an older one, and depends on it no more."""

from __future__ import annotations

import copy
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from campaigns import PROVENANCE, py_evm, small_config

from echidna_mcp.campaign.director import Director
from echidna_mcp.campaign.inheritance import _fitting
from echidna_mcp.campaign.replay import read_recording, replay
from echidna_mcp.campaign.start import new_campaign, resume_campaign
from echidna_mcp.demo import load_demo
from echidna_mcp.errors import ReplayDivergedError
from echidna_mcp.events.event import Event
from echidna_mcp.events.store import store_path
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor
from echidna_mcp.program.target import build_target
from echidna_mcp.rounds.call_codec import Call, CallCodec, OverridingCall, join

CONFIG = small_config(
    states=False, echoes=False, function_constants=False, round_budget=20_000
)
CALL = ("function", "calldata", "sender", "value", "timeDelay", "blockDelay")


def campaign(
    directory: Path,
    *ancestors: Path,
    rounds: int = 8,
    config: Any = CONFIG,
    executor: str = "inline",
    backend: str = "native",
    resumed_after: int | None = None,
) -> list[Event]:
    """Run some rounds of the demo; return all events."""
    manager = PluginManager.load()
    runner = make_executor(manager.executors, executor)
    plugin = manager.backends[backend]
    path = store_path(directory)
    try:
        opened = new_campaign(
            path,
            load_demo(),
            config,
            backend=plugin,
            executor=runner,
            provenance=PROVENANCE,
            ancestors=[store_path(one) for one in ancestors],
        )
        for number in range(rounds):
            if number == resumed_after:
                opened.store.close()
                runner.close()
                runner = make_executor(manager.executors, executor)
                opened = resume_campaign(path, plugin, runner, PROVENANCE)
            if number in (0, resumed_after):
                director = Director(
                    opened.engine, opened.store, runner, news=opened.events
                )
            director.run_round()
        with opened.store:
            return list(opened.store.read())
    finally:
        runner.close()


def of_type(events: list[Event], kind: str) -> list[Any]:
    return [event.payload for event in events if event.type == kind]


def digests(events: list[Event]) -> list[str]:
    return [payload["stateDigest"] for payload in of_type(events, "RoundCommitted")]


def plain(calls: Any) -> list[dict[str, Any]]:
    return [{name: call[name] for name in CALL} for call in calls]


@pytest.fixture(scope="module")
def parent(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Event]]:
    directory = tmp_path_factory.mktemp("parent") / "first"
    config = replace(CONFIG, round_budget=4_000_000)
    return directory, campaign(directory, rounds=7, config=config)


@pytest.fixture(scope="module")
def child(parent, tmp_path_factory) -> list[Event]:
    directory = tmp_path_factory.mktemp("child")
    return campaign(directory, parent[0], config=replace(CONFIG, seed=8))


def test_reproducers_and_corpus_are_in_the_new_store_before_its_first_round(
    parent, child
):
    directory, events = parent
    assert [event.type for event in child[:2]] == ["CampaignStarted", "CorpusInherited"]
    payload = child[1].payload
    assert payload["campaign"] == directory.name
    taken = [plain(calls) for calls in payload["sequences"]]
    corpus = [plain(each["calls"]) for each in of_type(events, "CorpusExtended")]
    assert corpus
    assert all(calls in taken for calls in corpus)
    falsified = {p["property"] for p in of_type(events, "PropertyFalsified")}
    shrunk = {p["property"]: p["calls"] for p in of_type(events, "ReproducerShrunk")}
    assert falsified
    first = taken[: len(falsified)]
    assert all(plain(calls) in first for calls in shrunk.values())
    assert payload["droppedCalls"] == payload["droppedSequences"] == 0


def test_each_is_run_once_and_what_it_shows_counts_as_its_own(child):
    total = len(child[1].payload["sequences"])
    ran = [
        worker.get("inherited", 0)
        for payload in of_type(child, "RoundCommitted")
        for worker in payload["workers"]
    ]
    assert sum(ran) == total
    kept = [p for p in of_type(child, "CorpusExtended") if "inherited" in p]
    assert kept
    for payload in kept:
        source = plain(child[1].payload["sequences"][payload["inherited"]])
        assert plain(payload["calls"]) == source[: len(payload["calls"])]
        assert all("gasUsed" in call for call in payload["calls"])
    assert len({p["inherited"] for p in kept}) == len(kept)
    (covered,) = {p["total"] for p in of_type(child, "CoverageIncreased")[-1:]}
    assert covered > 0


def test_what_was_found_before_is_found_again_in_the_first_round(parent, child):
    names = {p["property"] for p in of_type(parent[1], "PropertyFalsified")}
    found = [e for e in child if e.type == "PropertyFalsified" and e.round == 1]
    assert names
    assert names <= {event.payload["property"] for event in found}


@pytest.mark.parametrize(
    ("executor", "backend"),
    [
        ("inline", "py-evm"),
        ("threads:2", "native"),
        ("processes:2", "native"),
    ],
)
def test_it_is_the_same_campaign_wherever_it_runs(
    parent, child, tmp_path, executor, backend
):
    events = campaign(
        tmp_path,
        parent[0],
        config=replace(CONFIG, seed=8),
        executor=executor,
        backend=backend,
    )
    assert digests(events) == digests(child)


@pytest.mark.parametrize("after", [1, 2, 3])
def test_it_goes_on_where_it_stopped(parent, child, tmp_path, after):
    events = campaign(
        tmp_path, parent[0], config=replace(CONFIG, seed=8), resumed_after=after
    )
    assert digests(events) == digests(child)


def test_its_replay_needs_no_other_store(tmp_path):
    campaign(tmp_path / "a", rounds=4)
    events = campaign(tmp_path / "b", tmp_path / "a", rounds=3)
    shutil.rmtree(tmp_path / "a")
    for first in (1, 2, 3):
        recording = read_recording(events, first)
        views = replay(
            recording,
            [],
            py_evm(),
            make_executor(PluginManager.load().executors, "inline"),
        )
        assert views.progress.state_digest == digests(events)[-1]


def test_what_was_taken_over_is_part_of_the_state(child):
    changed = copy.deepcopy(child)
    changed[1].payload["sequences"].pop()
    with pytest.raises(ReplayDivergedError) as caught:
        replay(
            read_recording(changed),
            [],
            py_evm(),
            make_executor(PluginManager.load().executors, "inline"),
        )
    assert caught.value.details["round"] == 0


def test_what_was_never_run_is_passed_on(parent, tmp_path):
    middle = tmp_path / "middle"
    events = campaign(middle, parent[0], rounds=0)
    last = campaign(tmp_path / "last", middle, rounds=0)
    assert of_type(events, "CorpusExtended") == []
    taken = [
        of_type(each, "CorpusInherited")[0]["sequences"] for each in (events, last)
    ]
    assert taken[0] == taken[1]
    assert last[1].payload["campaign"] == "middle"


@pytest.mark.parametrize(
    "change",
    [
        {"filter_functions": ("Vault.deposit(address)",)},
        {"senders": (0x20000, 0x30000)},
        {"max_value": 0},
        {"max_time_delay": 0, "max_block_delay": 0},
        {"seq_len": 3},
    ],
)
def test_what_the_new_campaign_could_not_do_itself_is_dropped_and_counted(
    parent, tmp_path, change
):
    config = replace(CONFIG, **change)
    events = campaign(tmp_path, parent[0], rounds=0, config=config)
    payload = events[1].payload
    # What is there twice is kept once, but each time something of it may be dropped.
    kinds = ("PropertyFalsified", "ReproducerShrunk")
    found = [each.payload for each in parent[1] if each.type in kinds]
    before = [*{each["property"]: each["calls"] for each in found}.values()]
    before += [each["calls"] for each in of_type(parent[1], "CorpusExtended")]
    calls = [call for sequence in payload["sequences"] for call in sequence]
    assert payload["droppedCalls"] > 0
    assert len(calls) <= sum(map(len, before)) - payload["droppedCalls"]
    for call in calls:
        assert call["function"] not in (
            name.partition(".")[2] for name in config.filter_functions
        )
        assert int(call["sender"], 16) in config.senders
        assert int(call["value"]) <= config.max_value
        assert call["timeDelay"] <= config.max_time_delay
        assert call["blockDelay"] <= config.max_block_delay
    assert all(len(sequence) <= config.seq_len for sequence in payload["sequences"])


def test_calls_with_overrides_are_for_campaigns_that_have_them(tmp_path):
    target = build_target(load_demo(), replace(CONFIG, test_mode="assertion"))
    over = OverridingCall(function=0, after=1)
    calls = [Call(function=0, sender=0x10000, override=over)] * 2
    codec = CallCodec(target)
    stored = [codec.to_json(call) for call in calls]
    assert codec.sequence(stored) == join(calls)
    for allowed in (False, True):
        config = replace(target.config, call_override=allowed)
        fitting = CallCodec(build_target(load_demo(), config))
        found = [_fitting(call, fitting) for call in stored]
        assert found == (calls if allowed else [None, None])


def test_the_first_ancestor_of_which_anything_fits_is_taken(parent, tmp_path):
    garbage = tmp_path / "garbage"
    garbage.mkdir()
    store_path(garbage).write_text("no database")
    empty = tmp_path / "empty"
    campaign(empty, rounds=0)
    events = campaign(
        tmp_path / "new", tmp_path / "nowhere", garbage, empty, parent[0], rounds=0
    )
    assert events[1].payload["campaign"] == parent[0].name
