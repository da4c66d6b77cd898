"""Campaigns of more logical workers than one byte can number."""

from __future__ import annotations

import pytest
from campaigns import py_evm, small_config, started

from echidna_mcp.campaign.replay import read_recording, replay
from echidna_mcp.config.workers import MOST_WORKERS
from echidna_mcp.demo import load_demo
from echidna_mcp.plugins.manager import PluginManager
from echidna_mcp.plugins.selection import make_executor

WORKERS = 300
CONFIG = small_config(workers=WORKERS, round_budget=2_000, seq_len=5)
COMMANDS = {2: [("prioritize_function", {"functionSignature": "setFee(uint256)"})]}
ROUNDS = 2


@pytest.fixture(scope="module")
def inline(tmp_path_factory):
    """A campaign: its digests, and its recording."""
    place = tmp_path_factory.mktemp("inline")
    with started(place, load_demo(), CONFIG) as running:
        running.rounds(ROUNDS, COMMANDS)
        return running.digests(), read_recording(running.events)


def test_processes_give_the_digests_of_inline(inline, tmp_path):
    with started(tmp_path, load_demo(), CONFIG, "processes:2") as running:
        running.rounds(ROUNDS, COMMANDS)
        assert running.digests() == inline[0]


def test_a_replay_reproduces_it(inline):
    digests, recording = inline
    executor = make_executor(PluginManager.load().executors, "inline")
    try:
        views = replay(recording, recording.commands, py_evm(), executor)
    finally:
        executor.close()
    assert views.progress.state_digest == digests[-1]


def test_every_worker_does_something_else(inline):
    _, recording = inline
    for digests in recording.workers.values():
        assert sorted(digests) == list(range(WORKERS))
        assert len(set(digests.values())) > WORKERS // 2


def test_a_round_of_the_greatest_number_is_committed_and_replayed(tmp_path):
    config = small_config(
        workers=MOST_WORKERS, round_budget=200, seq_len=1, coverage=False
    )
    with started(tmp_path, load_demo(), config) as running:
        running.rounds(1)
        assert len(running.views.progress.workers) == MOST_WORKERS
        (committed,) = (e for e in running.events if e.type == "RoundCommitted")
    assert [w["worker"] for w in committed.payload["workers"]] == [*range(MOST_WORKERS)]
